import { ownClaimName } from "../model/claim-name.ts";
import { ChainwrightError, isChainwrightError } from "../model/error.ts";
import type { JobStart } from "../model/job-start.ts";
import type { ChainRecord, JobRecord } from "../model/record.ts";
import type { Reply, StartedJob } from "../ports/reply.ts";
import type { StartReply } from "../ports/start.ts";
import type { Engine } from "../engine/engine.ts";
import type { StartItem } from "./prepare-start.ts";

type Outcome = Reply<readonly StartReply[]>;

/**
 * Starts chains without a transaction. If it is unknown whether they were written (the connection broke, the commit was not
 * replicated), they are started once more with the same ids: chains that exist by then were written the first time. This is not
 * done with ids of the caller, because a chain with such an id may be a different one.
 */
export async function startOutside(
  engine: Engine,
  items: readonly StartItem[],
  starts: readonly JobStart[],
): Promise<Outcome> {
  try {
    return await engine.startOutside({ starts });
  } catch (error) {
    if (!isUnknown(error)) throw error;
    if (!items.every(mayRepeat)) throw unknown(error, starts);
    try {
      return await startAgain(engine, starts);
    } catch (again) {
      // The second try does not show what became of the first one: that is as unknown as before.
      throw isChainwrightError(again, "store-unavailable") ? unknown(again, starts) : again;
    }
  }
}

function isUnknown(error: unknown): boolean {
  return isChainwrightError(error, "store-unavailable") && error.details["outcome"] === "unknown";
}

function unknown(error: unknown, starts: readonly JobStart[]): ChainwrightError {
  const ids = starts.map(({ id }) => id);
  return new ChainwrightError(
    "store-unavailable",
    "it is unknown whether the chains were started; look for their ids (details.ids) before you start them again.",
    { cause: error, details: { outcome: "unknown", ids } },
  );
}

/** A signal without an id would be there twice, if the first start reached the chain that has its key. */
function mayRepeat(item: StartItem): boolean {
  return hasMadeIds(item) && (item.signals ?? []).every(({ signalId }) => signalId !== undefined);
}

/** Whether the engine generated the ids of a start and of the starts written inline in it. */
function hasMadeIds(item: StartItem): boolean {
  return (
    item.id === undefined && (item.blockers ?? []).every((blocker) => !("input" in blocker) || hasMadeIds(blocker))
  );
}

async function startAgain(engine: Engine, starts: readonly JobStart[]): Promise<Outcome> {
  const reply = await engine.startOutside({ starts });
  const isWritten = reply.ok
    ? reply.value.some(({ id, deduplicated }, index) => deduplicated && id === starts[index]?.id)
    : reply.refusal.code === "duplicate-id";
  if (!isWritten) return reply;
  const written = await findWritten(engine, starts);
  // The others found their deduplication key taken the first time.
  const missing = starts.filter(({ id }) => !written.has(id));
  if (missing.some(({ deduplication }) => deduplication === undefined)) return reply;
  const others = missing.length === 0 ? undefined : await engine.startOutside({ starts: missing });
  if (others?.ok === false) return others;
  const found = new Map(written);
  missing.forEach(({ id }, index) => {
    const other = others?.value[index];
    if (other !== undefined) found.set(id, other);
  });
  return { ok: true, value: starts.flatMap(({ id }) => found.get(id) ?? []) };
}

/** The chains of starts that exist, as the start that wrote them would have returned them. */
async function findWritten(engine: Engine, starts: readonly JobStart[]): Promise<ReadonlyMap<string, StartReply>> {
  const { state, callOptions } = engine;
  const own = starts.map(idsOf);
  const chains = await state.getChains(
    starts.map(({ id }) => id),
    callOptions(),
  );
  const records = await state.getJobs(own.flat(), callOptions());
  const jobs = new Map(records.flatMap((job) => (job === undefined ? [] : [[job.id, job] as const])));
  const written = new Map<string, StartReply>();
  starts.forEach((start, index) => {
    const chain = chains[index];
    if (chain === undefined || chain.typeName !== start.typeName || chain.input !== start.input) return;
    const begun = (own[index] ?? []).flatMap((id) => jobs.get(id) ?? []);
    written.set(start.id, replyOf(chain, begun, engine.clock.now()));
  });
  return written;
}

function idsOf({ id, blockers }: JobStart): readonly string[] {
  return [id, ...blockers.flatMap((blocker) => ("start" in blocker ? idsOf(blocker.start) : []))];
}

function replyOf(
  { id, status, input, version, createdAt }: ChainRecord,
  jobs: readonly JobRecord[],
  now: number,
): StartReply {
  const started = jobs.map((job) => startedJobOf(job, now));
  return { id, deduplicated: false, status, input, version, createdAt, jobs: started };
}

/** A job that has run by now was ready before. */
function startedJobOf(job: JobRecord, now: number): StartedJob {
  const { id: jobId, chainId, typeName } = job;
  const ref = { jobId, chainId, typeName, claimName: ownClaimName(job), dueInMs: undefined };
  if (job.status === "scheduled")
    return { ...ref, status: "scheduled", dueInMs: Math.max(0, (job.scheduledAt ?? now) - now) };
  if (job.status === "waiting") {
    const until = job.waits?.until;
    return { ...ref, status: "waiting", dueInMs: until === undefined ? undefined : Math.max(0, until - now) };
  }
  if (job.status === "blocked") return { ...ref, status: "blocked" };
  return { ...ref, status: job.status === "failed" && job.startedAt === undefined ? "failed" : "ready" };
}
