import { isChainwrightError } from "../model/error.ts";
import type { CallOptions } from "../ports/call.ts";
import type { Clock } from "../ports/clock.ts";
import type { StateAdapter } from "../ports/state.ts";
import { coalesce } from "../timing/coalesce.ts";
import { createAtMost } from "../timing/limit-concurrency.ts";
import { lockWaitMs } from "../timing/lock-wait.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";

/** What calls of one kind share. */
interface SharedCall<Item, Result> {
  readonly send: (items: readonly Item[], options: CallOptions<unknown>) => Promise<readonly Result[]>;
  /** Whether they may have to wait for another transaction. */
  readonly mayWait: boolean;
  /** About how many characters an item has. */
  readonly weigh: (item: Item) => number;
}

export type ShareCalls = <Item, Result>(shared: SharedCall<Item, Result>) => (item: Item) => Promise<Result>;

interface SharedStore {
  readonly state: StateAdapter;
  readonly clock: Clock;
  readonly callOptions: (tx?: unknown, waitMs?: number) => CallOptions<unknown>;
}

/** The most items that go into one statement, and about how many characters. */
const maxItems = 500;
const maxWeight = 4_000_000;
/** The most calls that wait in the store for locked rows, each with a connection; fewer where the pool is small. */
const mostWaiting = 4;
/** How long one try waits there. With the tries of `retryConflicts` that is about half a minute. */
const longestWaitMs = 5_000;

/**
 * Calls without a transaction that are made at the same time share one statement, and a failure of one call does not fail the others.
 *
 * Calls that may have to wait for another transaction wait only briefly together. If that was too short, or the store has cancelled or
 * refused the statement, nothing was written, and each call goes by itself.
 */
export function createSharing({ state, clock, callOptions }: SharedStore): ShareCalls {
  const beside = createAtMost(Math.max(1, Math.min(mostWaiting, (state.connections ?? Infinity) - 2)));

  return <Item, Result>({ send, mayWait, weigh }: SharedCall<Item, Result>) => {
    const sendOne = async (item: Item, waitMs: number | undefined): Promise<Result> => {
      const [result] = await send([item], callOptions(undefined, waitMs));
      if (result === undefined)
        throw new TypeError("the state adapter must return a reply for each item of a call; got none.");
      return result;
    };
    const sendAlone = (item: Item): Promise<Result> =>
      retryConflicts(state, clock, (tries) => {
        if (!mayWait) return sendOne(item, undefined);
        const waitMs = Math.min(lockWaitMs * 4 ** (tries - 1), longestWaitMs);
        return tries === 1 ? sendOne(item, waitMs) : beside(() => sendOne(item, waitMs));
      });
    const together = coalesce<Item, Result>(
      async (items: readonly Item[]) => {
        try {
          return await send(items, callOptions(undefined, mayWait ? lockWaitMs : undefined));
        } catch (error) {
          if (!isWorthAnother(state, error, items.length)) throw error;
          // They are not awaited here, so that the next calls share the next statement now.
          return items.map(sendAlone);
        }
      },
      { clock, maxItems, weigh, maxWeight },
    );
    return (item: Item) => (state.insideTransaction?.() === true ? sendAlone(item) : together(item));
  };
}

/** Whether nothing was written, and single calls may succeed. If the store is away, the batch may have been written, or would fail again. */
function isWorthAnother(state: StateAdapter, error: unknown, callers: number): boolean {
  if (state.isConflict(error)) return true;
  return callers > 1 && (!isChainwrightError(error) || error.details["reason"] === "timeout");
}
