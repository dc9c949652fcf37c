import { createErasedClient } from "../../src/client/erased-client.ts";
import { isChainwrightError } from "../../src/model/error.ts";
import type { JobStart } from "../../src/model/job-start.ts";
import type { Fence, Outcome } from "../../src/model/outcome.ts";
import type { StateAdapter } from "../../src/ports/state.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import type { CancelledStart } from "../../src/types/cancelled-result.ts";
import type { Command, EndingData, NextData, StartData } from "./commands.ts";
import { allOrNothing, createReference, lastJob, type Reference } from "./reference.ts";
import * as rules from "./rules.ts";
import type { Ending, Start } from "./rules.ts";

export const typeNames = ["a", "b", "c"] as const;
const startAt = Date.UTC(2030, 0, 1);

/** A store, a client on it, and the reference to compare it with. */
export interface Trial {
  readonly store: StateAdapter;
  readonly client: ReturnType<typeof createErasedClient>["client"];
  readonly ref: Reference;
  readonly attempts: Fence[];
  /** Ids used so far. */
  ids: number;
}

export function createTrial(store: StateAdapter): Trial {
  const ref = createReference(startAt);
  const clock = { ...createVirtualClock(), now: () => ref.now };
  const { client } = createErasedClient({ stateAdapter: store, jobTypes: { definitions: undefined }, clock });
  return { store, client, ref, attempts: [], ids: 0 };
}

/** Performs one command on both, and returns the results of both, which have to be equal. */
export async function perform(
  trial: Trial,
  command: Command,
): Promise<{ readonly said: unknown; readonly expected: unknown }> {
  const { ref, client } = trial;
  const chain = (index: number): string => pick([...ref.chains.keys()], index);
  const chains = (indexes: readonly number[]): readonly string[] => [...new Set(indexes.map(chain))];
  const items = (ids: readonly string[]) => ({ items: ids.map((id) => ({ id })) });
  switch (command.kind) {
    case "start":
      return await start(trial, command.starts);
    case "claim":
      return await claim(trial, command);
    case "settle":
      return await settle(trial, command.attempt, command.ending);
    case "renew":
      return await renew(trial, command);
    case "complete":
    case "continue":
    case "fail":
      return await endStep(trial, chain(command.chain), command);
    case "cancel": {
      const ids = chains(command.chains);
      const expected = sorted(allOrNothing(ref, () => rules.cancel(ref, ids)));
      const said = await saidBy(client.cancelChains(items(ids)));
      return {
        said: sorted(
          Array.isArray(said) ? said.flatMap(({ cancelled }: CancelledStart<string, unknown>) => cancelled) : said,
        ),
        expected,
      };
    }
    case "retry": {
      const ids = chains(command.chains);
      const expected = allOrNothing(ref, () => rules.retry(ref, ids));
      return { said: await saidBy(client.retryChains(items(ids))), expected };
    }
    case "trigger": {
      const scheduled = ref.jobs.filter(({ status }) => status === "scheduled");
      const among = (scheduled.length > 0 ? scheduled : ref.jobs).map(({ id }) => id);
      const ids = [...new Set(command.jobs.map((index) => pick(among, index)))];
      const expected = allOrNothing(ref, () => rules.trigger(ref, ids));
      return { said: await saidBy(client.triggerJobs(items(ids))), expected };
    }
    case "delete": {
      const ids = chains(command.chains);
      const { cascade } = command;
      const expected = sorted(allOrNothing(ref, () => rules.remove(ref, ids, cascade)));
      return { said: sorted(await saidBy(client.deleteChains({ ...items(ids), cascade }))), expected };
    }
    case "advance":
      ref.now += command.ms;
      return { said: undefined, expected: undefined };
  }
}

const unknownId = "ffffffff-ffff-4fff-8fff-ffffffffffff";

function pick(among: readonly string[], index: number): string {
  return among[index % among.length] ?? unknownId;
}

function sorted(said: unknown): unknown {
  return Array.isArray(said) ? said.map(String).sort() : said;
}

/** The result of a call, or the code of its refusal. */
async function saidBy(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (isChainwrightError(error)) return error.code;
    throw error;
  }
}

/** Ids whose order is not that of the starts. */
function newId(trial: Trial): string {
  trial.ids += 1;
  const scattered = (trial.ids * 7_919) % 65_536;
  return `00000000-0000-4000-8000-${scattered.toString(16).padStart(12, "0")}`;
}

async function start(trial: Trial, data: readonly StartData[]) {
  const { ref, client } = trial;
  const starts = data.map((one) => startOf(trial, one));
  const expected = allOrNothing(ref, () => starts.map((one) => rules.begin(ref, one)));
  const said = await saidBy(client.startChains({ items: starts.map((one) => itemOf(ref, one)) }));
  if (!Array.isArray(said)) return { said, expected };
  return { said: said.map(({ id, deduplicated }: Record<string, unknown>) => ({ id, deduplicated })), expected };
}

/** A start has at most one error, so that all stores refuse it for the same reason. */
function startOf(trial: Trial, data: StartData): Start {
  const there = trial.ref.jobs;
  const next = nextOf(trial, data);
  const reused = data.reusesId && data.inline === 0 && data.key === undefined ? there.at(-1)?.id : undefined;
  const inline = Array.from({ length: data.inline }, (): { readonly start: Start } => ({
    start: { ...nextOf(trial, { ...data, afterMs: undefined, blockers: [] }), typeName: "c", key: undefined },
  }));
  const { key } = data;
  return {
    ...next,
    id: reused ?? next.id,
    key: key === undefined ? undefined : { ...key, name: `key ${key.name}` },
    blockers: [...next.blockers, ...inline],
  };
}

function nextOf(trial: Trial, data: NextData): Start {
  const { priority, afterMs, onBlockerFailure } = data;
  const chains = [...trial.ref.chains.keys()];
  return {
    id: newId(trial),
    typeName: typeNames[data.typeName] ?? "a",
    priority,
    afterMs,
    onBlockerFailure,
    key: undefined,
    blockers: chains.length === 0 ? [] : data.blockers.map((index) => ({ chainId: pick(chains, index) })),
  };
}

type Item = Parameters<Trial["client"]["startChains"]>[0]["items"][number];

function itemOf(ref: Reference, { id, key, blockers, ...rest }: Start): Item {
  const { typeName, priority, afterMs, onBlockerFailure } = rest;
  return {
    id,
    typeName,
    priority,
    onBlockerFailure,
    input: { id },
    blockers: blockers.map((blocker) => {
      if ("start" in blocker) return itemOf(ref, blocker.start);
      return { id: blocker.chainId, typeName: ref.chains.get(blocker.chainId)?.typeName ?? "a" };
    }),
    ...(afterMs !== undefined && { schedule: { afterMs } }),
    ...(key !== undefined && { deduplication: { key: key.name, scope: key.scope, windowMs: key.windowMs } }),
  };
}

async function claim(trial: Trial, command: Extract<Command, { readonly kind: "claim" }>) {
  const { ref, store, attempts } = trial;
  const { limit, leaseMs } = command;
  const workerId = `worker ${command.worker}`;
  const wanted = command.turned ? typeNames.toReversed() : typeNames;
  const expected = rules
    .claim(ref, { workerId, typeNames: wanted, limit, leaseMs })
    .map(({ id, attempt, fence }) => ({ id, attempt, fence }));
  const types = wanted.map((typeName) => ({ typeName, leaseMs }));
  const { claimed } = await store.exchange({ outcomes: [], claim: { workerId, types, limit } }, { now: ref.now });
  for (const { id, fence } of claimed) attempts.push({ jobId: id, workerId, fence });
  return { said: claimed.map(({ id, attempt, fence }) => ({ id, attempt, fence })), expected };
}

async function settle(trial: Trial, index: number, data: EndingData) {
  const { ref, store } = trial;
  const fence = attemptAt(trial, index);
  if (fence === undefined) return { said: undefined, expected: undefined };
  const ending = endingOf(trial, data);
  const expected = allOrNothing(ref, () => rules.settleAttempt(ref, fence, ending));
  const [reply] = await store.settle([outcomeOf(fence, ending)], { now: ref.now });
  return { said: replyOf(reply), expected };
}

async function renew(trial: Trial, { attempt, leaseMs }: Extract<Command, { readonly kind: "renew" }>) {
  const { ref, store } = trial;
  const fence = attemptAt(trial, attempt);
  if (fence === undefined) return { said: undefined, expected: undefined };
  const expected = rules.renew(ref, fence, leaseMs);
  const { jobId, workerId } = fence;
  const [lost] = await store.renew({ workerId, held: [{ jobId, fence: fence.fence, leaseMs }] }, { now: ref.now });
  return { said: lost?.reason ?? "renewed", expected };
}

/** The newest most likely still hold their job. */
function attemptAt({ attempts }: Trial, index: number): Fence | undefined {
  return attempts.at(-1 - (index % Math.max(1, attempts.length)));
}

async function endStep(
  trial: Trial,
  chainId: string,
  command: Extract<Command, { readonly kind: "complete" | "continue" | "fail" }>,
) {
  const { ref, store, client } = trial;
  const typeName = command.kind === "fail" ? openType(ref, chainId) : (typeNames[command.typeName] ?? "a");
  const ending: End =
    command.kind === "continue"
      ? { kind: "continued", next: nextOf(trial, command.next) }
      : { kind: command.kind === "fail" ? "failed" : "completed" };
  const expected = allOrNothing(ref, () => rules.settleStep(ref, chainId, typeName, ending)) ?? "settled";
  if (command.kind === "complete") {
    return { said: (await saidBy(client.completeChain({ id: chainId, typeName, output: 1 }))) ?? "settled", expected };
  }
  const [reply] = await store.settle([endOf({ chainId, typeName }, ending)], { now: ref.now });
  return { said: replyOf(reply), expected };
}

function openType(ref: Reference, chainId: string): string {
  return ref.chains.has(chainId) ? lastJob(ref, chainId).typeName : "a";
}

function endingOf(trial: Trial, data: EndingData): Ending {
  return data.kind === "continued" ? { kind: "continued", next: nextOf(trial, data.next) } : data;
}

function outcomeOf(target: Fence, ending: Ending): Outcome {
  if (ending.kind !== "deferred") return endOf(target, ending);
  const schedule = ending.afterMs === undefined ? undefined : { afterMs: ending.afterMs };
  return { target, kind: "deferred", schedule, counted: ending.counted, errors: undefined };
}

type End = Exclude<Ending, { readonly kind: "deferred" }>;

function endOf(target: Outcome["target"], ending: End): Outcome {
  switch (ending.kind) {
    case "completed":
      return { target, kind: "completed", output: "1" };
    case "failed":
      return { target, kind: "failed", errors: "[]" };
    case "continued":
      return { target, kind: "continued", next: jobStartOf(ending.next) };
  }
}

function jobStartOf({ id, typeName, priority, afterMs, blockers, onBlockerFailure }: Start): JobStart {
  return {
    id,
    typeName,
    priority,
    onBlockerFailure,
    input: "{}",
    schedule: afterMs === undefined ? undefined : { afterMs },
    blockers: blockers.flatMap((blocker) =>
      "chainId" in blocker ? [{ chainId: blocker.chainId, typeName: undefined }] : [],
    ),
    deduplication: undefined,
    context: undefined,
  };
}

function replyOf(reply: Awaited<ReturnType<StateAdapter["settle"]>>[number] | undefined): unknown {
  if (reply?.status === "refused") return reply.refusal.code;
  return reply?.status === "lost" ? reply.reason : reply?.status;
}
