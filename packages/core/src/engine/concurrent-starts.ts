import { isChainwrightError } from "../model/error.ts";
import type { JobStart } from "../model/job-start.ts";
import type { Clock } from "../ports/clock.ts";
import type { Reply } from "../ports/reply.ts";
import type { StartCall, StartReply } from "../ports/start.ts";
import type { CallOptions } from "../ports/call.ts";
import type { StateAdapter } from "../ports/state.ts";
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
/** The most starts that wait in the store for locked rows, each with a connection; fewer where the pool is small. */
const mostWaiting = 4;
/** How long one try waits there. With the tries of `retryConflicts` that is about half a minute. */
const longestWaitMs = 5_000;

/**
 * Starts without a transaction. Calls that are made at the same time share one statement, and a failure of one call does not fail
 * the others.
 *
 * A start with a deduplication key or with blockers may have to wait for another transaction. Such starts share statements among
 * themselves, and wait only briefly together. If that was too short, or the store has cancelled or refused the statement, nothing
 * was written, and each start goes by itself.
 */
export function shareStarts({ state, clock, callOptions }: SharedStarts): Start {
  const beside = createAtMost(Math.max(1, Math.min(mostWaiting, (state.connections ?? Infinity) - 2)));

  const startOne = async (call: StartCall, waitMs: number | undefined) => {
    const [reply] = await state.start([call], callOptions(undefined, waitMs));
    if (reply === undefined) throw new TypeError("the state adapter must return a reply for each start; got none.");
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
          // They are not awaited here, so that the next calls share the next statement now.
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

/** Whether a start may have to wait for an open transaction. */
function mayWait({ deduplication, blockers }: JobStart): boolean {
  return deduplication !== undefined || blockers.length > 0;
}

/** Whether nothing was written, and single starts may succeed. If the store is away, the batch may have been written, or would fail again. */
function isWorthAnother(state: StateAdapter, error: unknown, callers: number): boolean {
  if (state.isConflict(error)) return true;
  return callers > 1 && (!isChainwrightError(error) || error.details["reason"] === "timeout");
}

function weightOf({ starts }: StartCall): number {
  return starts.reduce((sum, { input }) => sum + input.length, 0);
}
