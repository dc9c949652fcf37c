import { ChainwrightError } from "../model/error.ts";

/** The workers that a client has in this process, and the end of both. */
export interface Staff {
  /** The job types of each worker at work: the store may not have heard of it yet. */
  readonly workers: ReadonlySet<ReadonlySet<string>>;
  /** Throws `closed` once the client is closed. */
  assertOpen(): void;
  /** Takes a worker in, by its job types. */
  admit(worker: ReadonlySet<string>): void;
  /** Lets a worker go; the last one of a closed client takes the rest along. */
  dismiss(worker: ReadonlySet<string>): Promise<void>;
  /** Closes the client. Workers that still run keep what they need until they have stopped. */
  close(): Promise<void>;
}

/** @param end closes what the client and its workers share. */
export function createStaff(end: () => Promise<void>): Staff {
  const workers = new Set<ReadonlySet<string>>();
  let isClosed = false;
  let ended: Promise<void> | undefined;
  const endIfAlone = async (): Promise<void> => {
    if (isClosed && workers.size === 0) await (ended ??= end());
  };
  const assertOpen = (): void => {
    if (isClosed) throw new ChainwrightError("closed", "the client is closed; create a new one.");
  };
  return {
    workers,
    assertOpen,
    admit(worker) {
      assertOpen();
      workers.add(worker);
    },
    async dismiss(worker) {
      workers.delete(worker);
      await endIfAlone();
    },
    async close() {
      isClosed = true;
      await endIfAlone();
    },
  };
}
