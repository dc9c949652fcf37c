import type { Fence } from "../model/outcome.ts";

/**
 * Options of a transaction of a state adapter.
 *
 * @example
 * const holding: Fence = { jobId: claimed.id, workerId: worker.id, fence: claimed.fence };
 * const options: TransactionOptions = { holding };
 * await stateAdapter.transaction((tx) => stateAdapter.start([{ starts: [jobStart] }], { tx }), options);
 */
export interface TransactionOptions {
  /** The attempt that writes in the transaction, which commits only while the job is still leased to it. */
  readonly holding?: Fence | undefined;
}

/** The time of a call. */
export interface CallTime {
  /** Milliseconds since 1970; only tests set it. */
  readonly now?: number | undefined;
}

/**
 * Options of every call to a state adapter.
 *
 * @example
 * await stateAdapter.transaction(async (tx) => {
 *   const options: CallOptions<typeof tx> = { tx };
 *   await stateAdapter.cancel([{ chainId: id, reason: "out of stock" }], options);
 *   await stateAdapter.start([{ starts: [jobStart] }], options);
 * });
 */
export interface CallOptions<Tx> extends CallTime {
  readonly tx?: Tx | undefined;
  /**
   * Without `tx`: about how many milliseconds the call may wait for rows that other transactions have locked. An outcome that
   * would have to wait longer is `busy`; other calls reject with `transaction-conflict`. Left out: the store's own setting.
   * Stores without row locks ignore it.
   */
  readonly waitMs?: number | undefined;
}
