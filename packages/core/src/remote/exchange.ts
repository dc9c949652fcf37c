import { lookNow } from "../worker/next-look.ts";
import { wake, type ClaimLoop } from "./claim-loop.ts";
import { givingBack, outgoing, prepareOutcomes } from "./outgoing.ts";
import { checkClaim, closed, loopFor, type RemoteState } from "./state.ts";
import type { RemoteClaim, RemoteExchange, RemoteJob, RemoteLease, RemoteReply, RemoteResult } from "./types.ts";

/** Hands in outcomes, and waits for jobs. */
export async function exchange(state: RemoteState, { outcomes, claim }: RemoteExchange): Promise<RemoteReply> {
  if (!state.isOpen) throw closed();
  if (claim !== undefined) checkClaim(state, claim);
  const prepared = await prepareOutcomes(state.engine, state.policies, outcomes);
  if (!state.isOpen) throw closed();
  const loop = loopFor(state, claim);
  const results = outcomes.map(({ lease }, place) => {
    const outcome = prepared[place];
    if (outcome === undefined) throw new TypeError("each outcome is prepared once.");
    return handIn(loop, lease, outcome);
  });
  if (claim === undefined) return { results: await Promise.all(results), jobs: [], nextDueInMs: undefined };
  return await withJobs(loop, Promise.all(results), claim);
}

/** Waits for jobs, but no longer once an outcome was refused: its job is still leased, and the caller must know. */
async function withJobs(
  loop: ClaimLoop,
  settling: Promise<readonly RemoteResult[]>,
  { limit, waitMs, signal }: RemoteClaim,
): Promise<RemoteReply> {
  // A new claim looks, whatever an earlier one has found.
  lookNow(loop.nextLook);
  const { ask, jobs: dealing } = loop.asks.add({ limit, waitMs });
  wake(loop);
  const end = (): void => ask.end();
  signal?.addEventListener("abort", end, { once: true });
  if (signal?.aborted === true) end();
  settling.then((results) => results.some(({ status }) => status === "refused") && end(), end);
  const [results, dealt] = await Promise.allSettled([settling, dealing]);
  signal?.removeEventListener("abort", end);
  const jobs = dealt.status === "fulfilled" ? dealt.value : [];
  if (results.status === "rejected") {
    giveBack(loop, jobs);
    throw results.reason;
  }
  if (signal?.aborted === true) giveBack(loop, jobs);
  // What was settled must be told, even if the claim failed.
  if (dealt.status === "rejected" && results.value.length === 0) throw dealt.reason;
  return { results: results.value, jobs: signal?.aborted === true ? [] : jobs, nextDueInMs: nextDueInMs(loop, jobs) };
}

function giveBack(loop: ClaimLoop, jobs: readonly RemoteJob[]): void {
  for (const { lease } of jobs) void handIn(loop, lease, givingBack(lease)).catch(() => undefined);
}

function nextDueInMs({ nextLook, engine }: ClaimLoop, jobs: readonly RemoteJob[]): number | undefined {
  if (jobs.length > 0 || nextLook.dueAt === Infinity) return undefined;
  return Math.max(0, Math.ceil(nextLook.dueAt - engine.clock.now()));
}

/** Hands in one outcome with the next round trip of a loop. */
export function handIn(
  loop: ClaimLoop,
  lease: RemoteLease,
  outcome: Parameters<typeof outgoing>[1],
): Promise<RemoteResult> {
  return new Promise((onResult, onError) => {
    loop.outbox.push(outgoing(lease, outcome, { onResult, onError }));
    wake(loop);
  });
}
