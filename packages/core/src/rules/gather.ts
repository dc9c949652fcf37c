import { claimName, ownClaimName } from "../model/claim-name.ts";
import type { Debounce, JobStart, Throttle } from "../model/job-start.ts";
import type { Schedule } from "../model/schedule.ts";
import type { ReplacedInput } from "../ports/start.ts";
import type { Handle, KeyHolder, Replacement, Rows } from "./rows.ts";

/*
 * How starts with `debounce` or `throttle` gather in one chain.
 *
 * The chain that a start with the key began holds the key. A later start replaces its input, as long as no worker has ever claimed
 * it: an attempt never sees another input than the one before it. Otherwise the later start begins a chain of its own, which holds
 * the key from then on. So no start is swallowed.
 *
 * Debounce: the chain is due `quietMs` after its last start, but at most `maxWaitMs` after its first one. It holds the key for
 * `maxWaitMs` after its last start: if no worker is free for so long, later starts still find it.
 *
 * Throttle: the first chain is due at once and keeps its input. It holds the key for a window of `perMs`. The next start begins a chain
 * that is due at the end of this window, and has the next window. Later starts replace the input of that chain.
 */

/** Where a start goes: into a chain that waits, or into a new one with this schedule. */
export type GatherPlace<Chain> =
  | { readonly into: WaitingChain<Chain> }
  | { readonly into: undefined; readonly schedule: Schedule | undefined };

interface WaitingChain<Chain> extends Replacement {
  readonly chain: Chain;
  readonly createdAt: number;
  readonly wasDueAt: number;
}

interface Gathering<Chain> {
  readonly key: Debounce | Throttle;
  readonly holder: KeyHolder<Chain> | undefined;
  readonly now: number;
}

export function placeOf<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  { key, holder, now }: Gathering<Chain>,
): GatherPlace<Chain> {
  const wasDueAt = holder && rows.firstDueAt(holder.chain);
  if (key.scope === "throttle") {
    if (holder === undefined) return { into: undefined, schedule: undefined };
    const { chain, createdAt, until = now } = holder;
    // The first chain was due when it was created.
    if (wasDueAt === undefined || wasDueAt <= createdAt) return { into: undefined, schedule: { at: until } };
    return { into: { chain, createdAt, wasDueAt, ...waitUntil(wasDueAt, now), until, heldUntil: until } };
  }
  if (holder === undefined || wasDueAt === undefined) return { into: undefined, schedule: { afterMs: key.quietMs } };
  const { chain, createdAt } = holder;
  const until = createdAt + key.maxWaitMs;
  const dueAt = Math.min(now + key.quietMs, until);
  // A chain that had to be due before now is due already.
  const wait = waitUntil(dueAt > now ? dueAt : Math.min(wasDueAt, now), now);
  return { into: { chain, createdAt, wasDueAt, ...wait, until, heldUntil: now + key.maxWaitMs } };
}

function waitUntil(dueAt: number, now: number): Pick<Replacement, "dueAt" | "status"> {
  return { dueAt, status: dueAt > now ? "scheduled" : "ready" };
}

/** Puts a start into the chain that waits. */
export function replaceInput<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  start: JobStart,
  { chain, dueAt, wasDueAt, status, until, heldUntil }: WaitingChain<Chain>,
  now: number,
): ReplacedInput {
  const before = rows.claimNameOf(rows.lastJob(chain));
  rows.replace(chain, start, { dueAt, status, until, heldUntil });
  return {
    jobId: chain.id,
    chainId: chain.id,
    typeName: start.typeName,
    claimName: ownClaimName(start),
    dueInMs: dueAt > now ? dueAt - now : undefined,
    isAnnounced: dueAt < wasDueAt || before !== claimName(start),
  };
}
