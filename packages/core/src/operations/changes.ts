import type { Reply } from "../ports/state.ts";
import type { ChainEvent } from "../model/event.ts";
import { checkId, checkKeys, checkText, invalid } from "../checks/check-options.ts";
import type { Engine } from "../engine/engine.ts";
import { consequenceEvents, jobStartedEvent, releasingEvents } from "../engine/job-events.ts";
import { serialize } from "../checks/json.ts";
import { refusalError } from "./refusal-error.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";
import { lastStep } from "./last-step.ts";

const triggerKeys: ReadonlySet<string> = new Set(["id"]);
const cancelKeys: ReadonlySet<string> = new Set(["id", "reason"]);
const retryKeys: ReadonlySet<string> = new Set(["id", "typeName", "input"]);
const deleteKeys: ReadonlySet<string> = new Set(["id"]);
const longestReason = 2_000;

/** Makes scheduled jobs ready now; all or none. */
export async function triggerJobs(
  engine: Engine,
  items: readonly { readonly id: string }[],
  tx: unknown,
): Promise<void> {
  if (items.length === 0) return;
  const ids = [...new Set(items.map((item) => idOf(item, triggerKeys, "triggerJob")))];
  const jobs = await change(engine, tx, () => engine.state.trigger(ids, engine.callOptions(tx)));
  engine.events.record(
    jobs.map(({ jobId, chainId, typeName }) => ({ type: "job-triggered", jobId, chainId, typeName })),
    tx,
  );
}

/** Ends active chains; all or none. */
export async function cancelChains(
  engine: Engine,
  items: readonly { readonly id: string; readonly reason?: string | undefined }[],
  tx: unknown,
): Promise<void> {
  if (items.length === 0) return;
  const requests = items.map((item) => ({
    chainId: idOf(item, cancelKeys, "cancelChain"),
    reason: item.reason === undefined ? undefined : checkText(item.reason, "reason", longestReason),
  }));
  checkDistinct(requests, "cancelChains");
  const cancelled = await change(engine, tx, () => engine.state.cancel(requests, engine.callOptions(tx)));
  const events = cancelled.flatMap((chain): ChainEvent[] => {
    const { jobId, chainId, typeName, interrupted } = chain;
    return [
      { type: "job-cancelled", jobId, chainId, typeName },
      { type: "chain-cancelled", jobId, chainId, typeName, interrupted },
      ...consequenceEvents(chain),
      ...releasingEvents(chain),
    ];
  });
  engine.events.record(events, tx);
}

interface RetryOptions {
  readonly id: string;
  /** The type of the step where the chain stopped; needed to replace its input. */
  readonly typeName?: string | undefined;
  readonly input?: unknown;
}

/** Lets failed and cancelled chains go on from the step where they stopped; all or none. */
export async function retryChains(engine: Engine, items: readonly RetryOptions[], tx: unknown): Promise<void> {
  if (items.length === 0) return;
  const requests = await Promise.all(items.map((item) => retryRequest(engine, item, tx)));
  checkDistinct(requests, "retryChains");
  const retried = await change(engine, tx, () => engine.state.retry(requests, engine.callOptions(tx)));
  const events = retried.flatMap((chain): ChainEvent[] => {
    const { jobId, chainId, typeName } = chain.job;
    return [
      { type: "chain-retried", jobId, chainId, typeName },
      jobStartedEvent(chain.job),
      ...consequenceEvents(chain),
    ];
  });
  engine.events.record(events, tx);
}

/** A replaced input is checked against the schema of the step where the chain stopped, so that has to be known. */
async function retryRequest(engine: Engine, item: RetryOptions, tx: unknown) {
  const chainId = idOf(item, retryKeys, "retryChain");
  if (item.typeName !== undefined) engine.types.assertKnown(item.typeName);
  if (item.input === undefined) return { chainId, typeName: item.typeName, input: undefined };
  const typeName = item.typeName ?? (await lastStep(engine, chainId, tx)).typeName;
  const input = serialize(
    await engine.types.checkInput(typeName, item.input),
    `the input of "${typeName}"`,
    engine.maxPayloadBytes,
  );
  return { chainId, typeName, input };
}

/** Deletes chains; all or none. Answers the ids of all that were deleted. */
export async function deleteChains(
  engine: Engine,
  items: readonly { readonly id: string }[],
  { cascade = false, tx }: { readonly cascade?: boolean | undefined; readonly tx?: unknown },
): Promise<readonly string[]> {
  if (items.length === 0) return [];
  const chainIds = [...new Set(items.map((item) => idOf(item, deleteKeys, "deleteChain")))];
  const removed = await change(engine, tx, () => engine.state.remove({ chainIds, cascade }, engine.callOptions(tx)));
  engine.events.record(
    removed.map(({ chainId, typeName, interrupted }) => ({ type: "chain-deleted", chainId, typeName, interrupted })),
    tx,
  );
  return removed.map((chain) => chain.chainId);
}

/** Of two reasons or inputs for one chain, neither is the right one. */
function checkDistinct(items: readonly { readonly chainId: string }[], what: string): void {
  const ids = new Set<string>();
  for (const { chainId } of items) {
    if (ids.has(chainId)) throw invalid(`${what} names chain ${chainId} twice.`);
    ids.add(chainId);
  }
}

function idOf(item: { readonly id: string }, keys: ReadonlySet<string>, what: string): string {
  checkKeys(item, keys, what);
  return checkId(item.id, "id");
}

/** Tries again what lost a race where the transaction is the library's own; throws what the store refused. */
async function change<T>(engine: Engine, tx: unknown, call: () => Promise<Reply<T>>): Promise<T> {
  const reply = tx === undefined ? await retryConflicts(engine.state, engine.clock, call) : await call();
  if (!reply.ok) throw refusalError(reply.refusal);
  return reply.value;
}
