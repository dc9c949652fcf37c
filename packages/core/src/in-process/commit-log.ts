import type { Changes } from "./changes.ts";

/** Where a store writes what its calls and transactions have changed. */
export interface CommitLog {
  /** Throws once the log has failed: from then on memory is ahead of it for good. */
  check(): void;
  /** Takes the changes of one commit, in the order of the commits. */
  commit(changes: Changes): void;
  /** Resolves when all commits up to now are as safe as the log makes them. Undefined: they are. */
  settled(): Promise<void> | undefined;
  close(): Promise<void>;
}
