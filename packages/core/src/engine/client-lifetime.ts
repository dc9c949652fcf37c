import { ChainwrightError } from "../model/error.ts";

/** Whether a client is open, and which of its workers in this process still run: what they share is closed after the last of them. */
export interface ClientLifetime {
  /** The job types of each running worker: the store may not know of the worker yet. */
  readonly workers: ReadonlySet<ReadonlySet<string>>;
  /** Throws `closed` once the client is closed. */
  assertOpen(): void;
  /** Adds a worker, by its job types. */
  admit(worker: ReadonlySet<string>): void;
  /** Removes a worker. After the last worker of a closed client, what they share is closed. */
  dismiss(worker: ReadonlySet<string>): Promise<void>;
  /** Closes the client. Workers that still run keep what they need until they have stopped. */
  close(): Promise<void>;
}

/** @param closeShared closes what the client and its workers share. */
export function createLifetime(closeShared: () => Promise<void>): ClientLifetime {
  const workers = new Set<ReadonlySet<string>>();
  let isClosed = false;
  let closing: Promise<void> | undefined;
  const closeIfLast = async (): Promise<void> => {
    if (isClosed && workers.size === 0) await (closing ??= closeShared());
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
      await closeIfLast();
    },
    async close() {
      isClosed = true;
      await closeIfLast();
    },
  };
}
