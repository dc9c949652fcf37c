import type { Clock } from "../ports/clock.ts";
import type { StateAdapter } from "../ports/state.ts";
import { createLoggedCalls } from "../in-process/calls.ts";
import type { CommitLog } from "../in-process/commit-log.ts";
import { adapterOf } from "../in-process/state-adapter.ts";
import { parkApplied, type InProcessTransaction, type Transactions } from "../in-process/transactions.ts";
import type { Change } from "./change.ts";
import { collect, createCollected } from "./collect.ts";
import { contentOf } from "./content.ts";
import { changesOf } from "./encode.ts";
import { restoreStore } from "./restore.ts";

/**
 * Keeps the changes of an in-process store, in their order.
 *
 * @example
 * const written: (readonly Change[])[] = [];
 * const log: ChangeLog = {
 *   storeId: "0190a1c2-0000-7000-8000-000000000000",
 *   async *restore() {
 *     yield* written;
 *   },
 *   begin: () => {},
 *   check: () => {},
 *   append: (changes) => void written.push(changes),
 *   settled: () => undefined,
 *   close: async () => {},
 * };
 */
export interface ChangeLog {
  /** Differs from the id of every other store, and stays. */
  readonly storeId: string;
  /** All changes that it has kept, in their order. */
  restore(): AsyncIterable<readonly Change[]>;
  /**
   * Called once, when the store is built. `content` returns all that the log would have to keep of the store, one change after the other.
   * The store may be used while it is read: what changes meanwhile is appended.
   */
  begin(content: () => Iterable<Change>): void;
  /** Throws when the log cannot be written any more. It is called before every call. */
  check(): void;
  /** Takes the changes of one commit: all of them are kept, or none. The arrays do not change later. */
  append(changes: readonly Change[]): void;
  /** Resolves when all that was appended is kept. Undefined: it is. Rejects if that is not certain. */
  settled(): Promise<void> | undefined;
  /** Keeps what was appended, and ends. */
  close(): Promise<void>;
}

/**
 * An in-process store that begins with what a log has kept, and writes every change to it. Calls return when the log has kept what they
 * wrote or saw. One process at a time may use a log. Jobs that ran when the last process ended are ready, their attempts counted.
 *
 * @example
 * const openLogged = (log: ChangeLog) => openLoggedStateAdapter({ log });
 */
export async function openLoggedStateAdapter({
  log,
  clock,
}: {
  readonly log: ChangeLog;
  /** The source of the time. Default: the system's clock. */
  readonly clock?: Pick<Clock, "now"> | undefined;
}): Promise<StateAdapter<InProcessTransaction> & AsyncDisposable> {
  const calls = await openLoggedCalls({ log, clock });
  return { ...adapterOf(calls), takesRealTime: true };
}

/** The calls of such an adapter: for tests, which look behind it. */
export async function openLoggedCalls({ log, clock }: { log: ChangeLog; clock?: Pick<Clock, "now"> | undefined }) {
  const collected = createCollected();
  for await (const changes of log.restore()) for (const change of changes) collect(collected, change);
  const store = restoreStore(log.storeId, collected);
  const commits: CommitLog = {
    check: () => {
      log.check();
    },
    commit: (changes) => {
      log.append(changesOf(store, changes));
    },
    settled: () => log.settled(),
    close: () => log.close(),
  };
  const calls = createLoggedCalls(clock, { store, log: commits });
  const transactions: Transactions = calls.opened();
  log.begin(() =>
    contentOf(store, () => {
      parkApplied(transactions);
    }),
  );
  return calls;
}
