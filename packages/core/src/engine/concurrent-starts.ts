import { isChainwrightError } from "../model/error.ts";
import type { JobStart } from "../model/job-start.ts";
import type { Clock } from "../ports/clock.ts";
import type { CallOptions, Reply, StartCall, StartReply, StateAdapter } from "../ports/state.ts";
import { createAtMost } from "../timing/limit-concurrency.ts";
import { coalesce } from "../timing/coalesce.ts";
import { lockWaitMs } from "../timing/lock-wait.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";

type Start = (call: StartCall) => Promise<Reply<readonly StartReply[]>>;

interface SharedStarts {
  readonly state: StateAdapter;
  readonly clock: Clock;
  readonly callOptions: (tx?: unknown, waitMs?: number) => CallOptions<unknown>;
}

/** The most starts that go into one statement, and about how many characters of payload. */
const maxStartCalls = 500;
const maxStartWeight = 4_000_000;
/** Starts that wait in the store for what another transaction holds, each with a connection; fewer where the pool is small. */
const mostWaiting = 4;
/** How long a start waits there at a time. With the tries of `retryConflicts` that is about half a minute. */
const longestWaitMs = 5_000;

/**
 * Starts without a transaction: calls made at the same time share one statement, and not their bad luck.
 *
 * A start with a deduplication key, or one that waits for a chain, may have to wait for another transaction. Those share
 * statements among themselves, and wait only briefly together. Where that was too short, and where the store has cancelled
 * a statement or chokes on it, nothing was written: each goes by itself.
 */
export function shareStarts({ state, clock, callOptions }: SharedStarts): Start {
  const beside = createAtMost(Math.max(1, Math.min(mostWaiting, (state.connections ?? Infinity) - 2)));

  const startOne = async (call: StartCall, waitMs: number | undefined) => {
    const [reply] = await state.start([call], callOptions(undefined, waitMs));
    if (reply === undefined) throw new TypeError("expected 1 result, got none");
    return reply;
  };
  const startPlain: Start = (call) => retryConflicts(state, clock, () => startOne(call, undefined));
  const startPatiently: Start = (call) =>
    retryConflicts(state, clock, (tries) => {
      const waitMs = Math.min(lockWaitMs * 4 ** (tries - 1), longestWaitMs);
      return tries === 1 ? startOne(call, waitMs) : beside(() => startOne(call, waitMs));
    });
  const together = (startAlone: Start, waitMs: number | undefined) =>
    coalesce(
      async (calls: readonly StartCall[]) => {
        try {
          return await state.start(calls, callOptions(undefined, waitMs));
        } catch (error) {
          if (!isWorthAnother(state, error, calls.length)) throw error;
          // Not waited for: those that come next share the next statement.
          return calls.map(startAlone);
        }
      },
      { clock, maxItems: maxStartCalls, weigh: weightOf, maxWeight: maxStartWeight },
    );

  const startPlainTogether = together(startPlain, undefined);
  const startPatientlyTogether = together(startPatiently, lockWaitMs);
  return (call) => {
    const isPatient = call.starts.some(mayWait);
    if (state.insideTransaction?.() === true) return isPatient ? startPatiently(call) : startPlain(call);
    return isPatient ? startPatientlyTogether(call) : startPlainTogether(call);
  };
}

/** Whether it may have to wait for a transaction that somebody else has open. */
function mayWait({ deduplication, blockers }: JobStart): boolean {
  return deduplication !== undefined || blockers.length > 0;
}

/** Nothing was written, and it may go better alone. Where the store is out of reach, it may have been written, or fails again. */
function isWorthAnother(state: StateAdapter, error: unknown, callers: number): boolean {
  if (state.isConflict(error)) return true;
  return callers > 1 && (!isChainwrightError(error) || error.details["reason"] === "timeout");
}

function weightOf({ starts }: StartCall): number {
  return starts.reduce((sum, { input }) => sum + input.length, 0);
}
