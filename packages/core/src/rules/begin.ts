import { dueAt } from "../model/schedule.ts";
import { heldKey } from "../model/held-key.ts";
import type { Debounce, JobStart, Throttle } from "../model/job-start.ts";
import type { Refusal, Reply, StartedJob } from "../ports/reply.ts";
import type { StartCall, StartReply } from "../ports/start.ts";
import type { SentSignal, WaitRecord } from "../model/signal.ts";
import type { SignalReply } from "../ports/signal.ts";
import { failureBecauseOf } from "./end.ts";
import { startFollowUps } from "./follow-ups.ts";
import { placeOf, replaceInput } from "./gather.ts";
import { keyFor } from "./key.ts";
import { nothing, refused, startedJob } from "./replies.ts";
import type { Handle, Place, Rows } from "./rows.ts";
import { beginWait, deliver, waitFor } from "./wait.ts";

/*
 * How a chain begins.
 *
 * A start with a deduplication key that another chain holds begins nothing: it returns that chain. Otherwise the blockers that
 * the start brings with it begin first, then the job is written. It waits if one of its blockers has not completed; it fails
 * at once, and so does its chain, if one of them has failed or was cancelled, unless it chose to wait for a retry of that
 * blocker. The same holds for the job that continues a chain.
 */

/** Begins chains. Each call is all or nothing by itself. */
export function start<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  calls: readonly StartCall[],
  now: number,
): readonly Reply<readonly StartReply[]>[] {
  return calls.map((call) =>
    isRefusedBeforeWrites(call) ? startAll(rows, call, now) : rows.allOrNothing(() => startAll(rows, call, now)),
  );
}

/** One start without blockers, signals, compensate and whenStopped: all that may refuse it comes before the first write, so there is nothing to undo. */
function isRefusedBeforeWrites({ starts }: StartCall): boolean {
  const [first] = starts;
  return starts.length === 1 && first?.blockers.length === 0 && first.signals === undefined;
}

function startAll<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  { starts }: StartCall,
  now: number,
): Reply<readonly StartReply[]> {
  const value: StartReply[] = [];
  for (const one of starts) {
    const begun = beginChain(rows, one, { isBlocker: false, now });
    if ("code" in begun) return refused(begun);
    value.push(begun.reply);
  }
  return { ok: true, value };
}

interface Begun<Chain> {
  readonly chain: Chain;
  readonly reply: StartReply;
}

function beginChain<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  first: JobStart,
  { isBlocker, now }: { readonly isBlocker: boolean; readonly now: number },
): Begun<Chain> | Refusal {
  const { deduplication } = first;
  if (deduplication?.scope === "debounce" || deduplication?.scope === "throttle")
    return gather(rows, { first, key: deduplication, now });
  const holder = deduplication && rows.keyHolder(deduplication.key, now);
  // Signals need an active chain.
  if (holder !== undefined && (first.signals === undefined || holder.status === "active")) {
    const { chain, status, input, version, createdAt } = holder;
    const reply = { id: chain.id, deduplicated: true, status, input, version, createdAt, jobs: nothing };
    if (first.signals === undefined) return { chain, reply };
    const signalled = deliverAll(rows, first.signals, { chain, now });
    return "code" in signalled ? signalled : { chain, reply: { ...reply, signalled } };
  }
  return writeFirst(rows, first, { isBlocker, now });
}

/** Hands the signals of a start to the chain that holds its key. */
function deliverAll<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  signals: readonly SentSignal[],
  { chain, now }: { readonly chain: Chain; readonly now: number },
): readonly SignalReply[] | Refusal {
  const replies: SignalReply[] = [];
  for (const sent of signals) {
    const reply = deliver(rows, sent, { chain, job: rows.lastJob(chain), at: now });
    if ("code" in reply) return reply;
    replies.push(reply);
  }
  return replies;
}

function writeFirst<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  first: JobStart,
  { isBlocker, now }: { readonly isBlocker: boolean; readonly now: number },
): Begun<Chain> | Refusal {
  const written = writeJob(rows, first, { after: undefined, chainId: first.id, isBlocker, now });
  if ("code" in written) return written;
  const { status } = written;
  const chain = rows.chainOf(written.job);
  const followUps = status === "failed" ? startFollowUps(rows, chain, now) : nothing;
  const jobs = followUps.length === 0 ? written.jobs : [...written.jobs, ...followUps];
  const { id, input, version = 1 } = first;
  const reply: StartReply = {
    id,
    deduplicated: false,
    status: status === "failed" ? "failed" : "active",
    input,
    version,
    createdAt: now,
    jobs,
  };
  return { chain, reply: written.signalled === undefined ? reply : { ...reply, signalled: written.signalled } };
}

/** A start with `debounce` or `throttle`. */
function gather<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  { first, key, now }: { readonly first: JobStart; readonly key: Debounce | Throttle; readonly now: number },
): Begun<Chain> | Refusal {
  const holder = rows.keyHolder(heldKey(key), now);
  const place = placeOf(rows, { key, holder, now });
  const { into } = place;
  if (into === undefined) return writeFirst(rows, { ...first, schedule: place.schedule }, { isBlocker: false, now });
  const replaced = replaceInput(rows, first, into, now);
  const { chain, createdAt } = into;
  const { input, version = 1 } = first;
  return {
    chain,
    reply: { id: chain.id, deduplicated: true, status: "active", input, version, createdAt, jobs: nothing, replaced },
  };
}

export interface Written<Job> {
  readonly job: Job;
  readonly status: StartedJob["status"];
  /** The job itself, then those of blockers that began with it. */
  readonly jobs: readonly StartedJob[];
  readonly signalled?: readonly SignalReply[];
}

interface Position<Job> {
  /** The job that it continues. Undefined: it begins a chain. */
  readonly after: Job | undefined;
  readonly chainId: string;
  readonly isBlocker: boolean;
  readonly now: number;
}

/** Writes a job and begins the blockers that it brings with it. A refusal may leave parts behind, which the caller undoes. */
export function writeJob<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  job: JobStart,
  { after, chainId, isBlocker, now }: Position<Job>,
): Written<Job> | Refusal {
  const begun: StartedJob[] = [];
  const own: Chain[] = [];
  const blockers = job.blockers.length === 0 ? nothing : beginBlockers(rows, job, { begun, own, now });
  if ("code" in blockers) return blockers;
  const key = keyFor(job, now);
  // A blocker that began with the chain has taken its key: the chain would wait for itself.
  if (key !== undefined && begun.length > 0 && rows.keyHolder(key.key, now) !== undefined) {
    return { code: "blocker-cycle", id: job.id, references: [job.id] };
  }
  const { open, failure, dueAt: due, status } = planOf(rows, job, blockers, now);
  const wait = job.waits === undefined ? undefined : waitFor(job, now);
  const deadlineAt = job.deadline === undefined || status === "failed" ? undefined : dueAt(job.deadline, now);
  const place = {
    after,
    status,
    dueAt: wait?.until ?? due,
    wait,
    blockers,
    open,
    failure,
    key,
    isBlocker,
    own,
    deadlineAt,
  };
  const row = rows.insert(job, place, now);
  if (row === undefined) return { code: "duplicate-id", id: job.id };
  // A chain that failed at once does not hold a key of scope `active`; it takes the key when it is retried.
  if (key !== undefined && (status !== "failed" || key.scope === "any")) rows.takeKey(rows.chainOf(row));
  if (wait !== undefined || job.signals !== undefined)
    return writeWithSignals(rows, job, { row, chainId, wait, status, dueAt: due, begun, now });
  const written = startedJob(job, chainId, { status, dueAt: due, now });
  return { job: row, status, jobs: begun.length === 0 ? [written] : [written, ...begun] };
}

interface WithSignals<Job> {
  readonly row: Job;
  readonly chainId: string;
  readonly wait: WaitRecord | undefined;
  readonly status: StartedJob["status"];
  readonly dueAt: number;
  readonly begun: readonly StartedJob[];
  readonly now: number;
}

/** The signals of a start are there before its job waits. */
function writeWithSignals<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  job: JobStart,
  { row, chainId, wait, status: written, dueAt: due, begun, now }: WithSignals<Job>,
): Written<Job> {
  const chain = rows.chainOf(row);
  const positions = job.signals?.map((sent) => rows.addSignal(chain, sent, now));
  const isReady = wait !== undefined && !beginWait(rows, row, { chain, wait: { ...wait, received: nothing }, now });
  const status = isReady ? "ready" : written;
  const until = wait === undefined ? due : wait.until;
  const jobs = [startedJob(job, chainId, { status, dueAt: until, now }), ...begun];
  if (positions === undefined) return { job: row, status, jobs };
  const left = new Set(Array.from(rows.untaken(chain, job.typeName), ({ position }) => position));
  const signalled = positions.map((position, at): SignalReply => {
    const isTaken = position !== undefined && job.signals?.[at]?.typeName === job.typeName && !left.has(position);
    return { delivered: position === undefined ? "deduplicated" : isTaken ? "taken" : "buffered", woken: nothing };
  });
  return { job: row, status, jobs, signalled };
}

/** The blocker chains of a start, in position order. Those that begin with it are added to `own`, and their jobs to `begun`. */
function beginBlockers<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  { blockers }: JobStart,
  { begun, own, now }: { readonly begun: StartedJob[]; readonly own: Chain[]; readonly now: number },
): readonly Chain[] | Refusal {
  const chains: Chain[] = [];
  for (const blocker of blockers) {
    if ("start" in blocker) {
      const child = beginChain(rows, blocker.start, { isBlocker: true, now });
      if ("code" in child) return child;
      chains.push(child.chain);
      if (!child.reply.deduplicated) own.push(child.chain);
      for (const job of child.reply.jobs) begun.push(job);
      continue;
    }
    const { chainId: id, typeName } = blocker;
    const chain = rows.chain(id);
    if (chain === undefined) return { code: "chain-not-found", id };
    const actual = rows.typeNameOf(chain);
    if (typeName !== undefined && typeName !== actual) return { code: "job-type-mismatch", id, actual };
    chains.push(chain);
  }
  return chains;
}

/** How a job begins: what it waits for, and whether one of its blockers makes it fail at once. */
function planOf<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  { schedule, waits, onBlockerFailure }: JobStart,
  blockers: readonly Chain[],
  now: number,
): Pick<Place<Job, Chain>, "open" | "failure" | "dueAt" | "status"> {
  const due = schedule === undefined ? now : Math.max(now, dueAt(schedule, now));
  const free = waits !== undefined ? "waiting" : due > now ? "scheduled" : "ready";
  if (blockers.length === 0) return { open: nothing, failure: undefined, dueAt: due, status: free };
  const open = openAmong(rows, blockers);
  const failure = onBlockerFailure === "fail" ? failureBecauseOf(rows, open, now) : undefined;
  const status = failure !== undefined ? "failed" : open.length > 0 ? "blocked" : free;
  return { open, failure, dueAt: due, status };
}

/** Those of some chains that have not completed, each once. */
function openAmong<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  chains: readonly Chain[],
): readonly Chain[] {
  const open = new Map<string, Chain>();
  for (const chain of chains) if (rows.chainStatusOf(chain) !== "completed") open.set(chain.id, chain);
  return [...open.values()];
}
