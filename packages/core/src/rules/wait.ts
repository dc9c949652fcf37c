import type { JobStart } from "../model/job-start.ts";
import { dueAt } from "../model/schedule.ts";
import { endedBy, mostBufferedSignals } from "../model/signal.ts";
import type { ReceivedSignal, SentSignal, WaitRecord } from "../model/signal.ts";
import type { Refusal, Reply, WaitingJob } from "../ports/reply.ts";
import type { SignalItem, SignalReply } from "../ports/signal.ts";
import { nothing, refused, waitingRef } from "./replies.ts";
import type { Handle, Rows } from "./rows.ts";
import type { JobWaiting, Publication } from "./signal-rows.ts";

/*
 * How a job waits for signals.
 *
 * A chain stores its signals in the order in which they arrive. Each is taken by at most one job, which has the signal's type: by the
 * one that waits, or by the next one that begins to wait. So at no time does a job wait beside a signal that it would accept.
 *
 * A wait ends when a signal completes what it collects, or when its time is over, which is noticed where jobs that are due are noticed.
 * Whichever comes first makes the job ready; a signal that comes later stays for the next wait. Between the moment when the time is over
 * and the moment when someone notices it, a signal still ends the wait.
 *
 * A publication to a topic becomes a signal of every chain whose job waits for the topic, now or while it is kept. It has an id, as
 * signals can have one, so a chain gets it once, however often its jobs wait.
 */

/** What a job that is written waits for. */
export function waitFor({ waits }: JobStart, now: number): WaitRecord | undefined {
  if (waits === undefined) return undefined;
  const { until, collect, topics } = waits;
  return { until: until && dueAt(until, now), collect, topics };
}

interface Beginning<Chain> {
  readonly chain: Chain;
  readonly wait: Pick<JobWaiting, "until" | "collect" | "topics" | "received">;
  readonly now: number;
}

/** Begins the wait of a job that has been written as waiting: it takes what is there. Returns whether it still waits. */
export function beginWait<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  job: Job,
  { chain, wait, now }: Beginning<Chain>,
): boolean {
  const typeName = rows.typeNameOf(job);
  for (const topic of wait.topics ?? nothing) {
    for (const publication of rows.keptFor(topic, typeName, now)) rows.addSignal(chain, publication, publication.at);
  }
  const received = [...wait.received];
  const positions: number[] = [];
  let isOver = endedBy(received, wait.collect) !== undefined;
  if (!isOver) {
    for (const { position, signal: name, payload, at, signalId, context } of rows.untaken(chain, typeName)) {
      received.push({ signal: name, payload, at, signalId, context });
      positions.push(position);
      isOver = endedBy(received, wait.collect) !== undefined;
      if (isOver) break;
    }
  }
  if (positions.length > 0) rows.take(job, positions, received);
  isOver ||= wait.until !== undefined && wait.until <= now;
  if (isOver) rows.makeReady(job, now);
  return !isOver;
}

/** Whether the wait of a job had not ended when its chain stopped, so that it waits again after a retry. */
export function waitsAgain(wait: JobWaiting | undefined, now: number): wait is JobWaiting {
  if (wait === undefined || endedBy(wait.received, wait.collect) !== undefined) return false;
  return wait.until === undefined || wait.until > now;
}

/** Hands signals to chains and topics. */
export function signal<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  items: readonly SignalItem[],
  now: number,
): Reply<readonly SignalReply[]> {
  return items.length === 1 ? signalAll(rows, items, now) : rows.allOrNothing(() => signalAll(rows, items, now));
}

function signalAll<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  items: readonly SignalItem[],
  now: number,
): Reply<readonly SignalReply[]> {
  const value: SignalReply[] = [];
  for (const item of items) {
    const reply = "topic" in item ? publish(rows, item, now) : signalChain(rows, item, now);
    if ("code" in reply) return refused(reply);
    value.push(reply);
  }
  return { ok: true, value };
}

function signalChain<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  item: Extract<SignalItem, { readonly chainId: string }>,
  now: number,
): SignalReply | Refusal {
  const { chainId: id } = item;
  const found = rows.chainAndLastJob(id);
  if (found === undefined) return { code: "chain-not-found", id };
  const actual = rows.chainStatusOf(found.chain);
  if (actual !== "active") return { code: "chain-not-active", id, actual };
  return deliver(rows, item, { ...found, at: now });
}

/** Hands a signal to an active chain, of which `job` is the newest. */
export function deliver<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  sent: SentSignal,
  { chain, job, at }: { readonly chain: Chain; readonly job: Job; readonly at: number },
): SignalReply | Refusal {
  const wait = rows.typeNameOf(job) === sent.typeName ? rows.waitOf(job) : undefined;
  const isTaken = wait?.isWaiting === true;
  if (!isTaken && rows.countUntaken(chain) >= mostBufferedSignals && !rows.hasSignal(chain, sent.signalId))
    return { code: "too-many-signals", id: chain.id };
  if (isTaken) {
    const woken = takeOne(rows, job, { chain, wait, sent, at });
    return woken === undefined ? deduplicated : { delivered: "taken", woken };
  }
  return rows.addSignal(chain, sent, at) === undefined ? deduplicated : { delivered: "buffered", woken: nothing };
}

const deduplicated: SignalReply = { delivered: "deduplicated", woken: nothing };

interface Taking<Chain> {
  readonly chain: Chain;
  readonly wait: JobWaiting;
  readonly sent: SentSignal;
  readonly at: number;
}

/** A job that waits takes a signal. Undefined: its chain has one with this id. */
function takeOne<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  job: Job,
  { chain, wait, sent, at }: Taking<Chain>,
): readonly WaitingJob[] | undefined {
  const { signal: name, payload, signalId, context } = sent;
  const one: ReceivedSignal = { signal: name, payload, at, signalId, context };
  const received = [...wait.received, one];
  if (!rows.receive(job, chain, sent, { at, received })) return undefined;
  if (endedBy(received, wait.collect) === undefined) return nothing;
  rows.makeReady(job, at);
  return [waitingRef(rows, job)];
}

function publish<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  item: Extract<SignalItem, { readonly topic: string }>,
  now: number,
): SignalReply {
  const { topic, keepMs, typeName } = item;
  const woken: WaitingJob[] = [];
  let reached = 0;
  for (const job of rows.waitersOf(topic, typeName)) {
    const wait = rows.waitOf(job);
    const taken = wait && takeOne(rows, job, { chain: rows.chainOf(job), wait, sent: item, at: now });
    if (taken === undefined) continue;
    reached += 1;
    woken.push(...taken);
  }
  if (keepMs > 0) rows.keep(topic, publicationOf(item, now), now + keepMs);
  return { delivered: "taken", woken, reached };
}

function publicationOf(
  { typeName, signal: name, payload, signalId, context }: SentSignal & { readonly signalId: string },
  at: number,
): Publication {
  return { typeName, signal: name, payload, signalId, context, at };
}
