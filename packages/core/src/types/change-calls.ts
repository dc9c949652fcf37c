import type { CompleteChain, ContinueChain, RetryChain, RetryChains } from "./change-chain.ts";
import type { BlockerCounts } from "../model/record.ts";
import type { CancelledResult } from "./cancelled-result.ts";
import type { AnyEnv } from "./env.ts";
import type { ByChainId, ByJobId, InTransaction } from "./list-options.ts";

/* An alias; see `StartCalls`. */
/** The client's calls that change existing chains and jobs. Calls with `items` change all of them or none. */
export type ChangeCalls<in out E extends AnyEnv> = {
  /**
   * Completes a chain without a worker, for example after an approval or in a webhook.
   *
   * @param options `typeName` is the step the caller believes is open.
   * @throws `job-type-mismatch` when the chain has moved on, `chain-not-active`, `chain-not-found`
   * @example
   * await client.completeChain({ id, typeName: "reminder.send", output: { sent: true } }); // done by hand
   */
  readonly completeChain: CompleteChain<E>;

  /**
   * Continues a chain with another step, without a worker.
   *
   * @param options `typeName` is the step the caller believes is open, `with` what it continues with.
   * @throws `job-type-mismatch` when the chain has moved on, `chain-not-active`, `chain-not-found`
   * @example
   * const input = { orderId, cents: 4_200 };
   * await client.continueChain({ id, typeName: "order.place", with: { typeName: "order.charge", input, blockers: [] } });
   */
  readonly continueChain: ContinueChain<E>;

  /**
   * Makes a scheduled job ready now. One that follows a stopped chain and waits for the end of an attempt is refused.
   *
   * @throws `job-not-scheduled`, `job-not-found`
   * @example
   * const { items } = await client.listScheduledJobs({ typeName: "reminder.send", limit: 1 });
   * if (items[0] !== undefined) await client.triggerJob(items[0]);
   */
  triggerJob(options: ByJobId & InTransaction<E["tx"]>): Promise<void>;
  /**
   * Makes scheduled jobs ready now.
   *
   * @throws `job-not-scheduled`, `job-not-found`
   * @example
   * const { items } = await client.listScheduledJobs({ typeName: "mail.send" });
   * await client.triggerJobs({ items });
   */
  triggerJobs(options: Items<ByJobId> & InTransaction<E["tx"]>): Promise<void>;

  /**
   * Ends an active chain; the signal of a running attempt aborts with `cancelled`. Its compensations run, the last step first, once that
   * attempt has ended. Returns what the chain was started with, and the ids of all chains that were cancelled, its own first.
   *
   * @param options `blockers`: whether the blockers that the chain started inline, and that no one else waits for, are cancelled with it,
   *   and theirs (`cancel`, the default), or go on (`leave`). Chains that existed before are never touched.
   * @throws `chain-not-active`, `chain-not-found`
   * @example
   * await client.transaction(async (tx) => {
   *   await tx.query("update orders set cancelled = true where id = $1", [orderId]);
   *   await client.cancelChain({ tx, id: chain.id, reason: "the customer called" });
   * });
   */
  cancelChain(options: CancelOptions & InTransaction<E["tx"]>): Promise<CancelledResult<E>>;
  /**
   * Ends active chains.
   *
   * @throws `chain-not-active`, `chain-not-found`
   * @example
   * const { items } = await client.listChains({ typeName: "mail.send", status: "active" });
   * await client.cancelChains({ items: items.map(({ id }) => ({ id, reason: "a wrong address list" })) });
   */
  cancelChains(options: Items<CancelOptions> & InTransaction<E["tx"]>): Promise<readonly CancelledResult<E>[]>;

  /**
   * Resumes a failed or cancelled chain at the step where it stopped. Dependents that failed because of it wait again.
   *
   * @param options `typeName` is the step the caller believes it stopped at; `input` replaces that step's, and needs its `typeName`.
   * @throws `chain-not-retryable`, `job-type-mismatch`, `chain-not-found`, `invalid-input`
   * @example
   * await client.retryChain({ id }); // as it was
   * await client.retryChain({ id, typeName: "mail.send", input: { to: "ada@example.org" } }); // with another input
   */
  readonly retryChain: RetryChain<E>;
  /**
   * Resumes failed and cancelled chains.
   *
   * @throws `chain-not-retryable`, `job-type-mismatch`, `chain-not-found`
   * @example
   * const { items } = await client.listChains({ status: "failed", errorText: "ECONNREFUSED" });
   * await client.retryChains({ items: items.map(({ id }) => ({ id })) });
   */
  readonly retryChains: RetryChains<E>;

  /**
   * Deletes a chain with its jobs, and returns the ids of all deleted chains.
   *
   * @param options with `cascade` also the chains that it blocks, and the ones that those block.
   * @throws `chain-referenced` with the references when it blocks another chain; `chain-not-found`
   * @example
   * const deleted = await client.deleteChain({ id, cascade: true });
   * console.log(`${deleted.length} chains deleted`);
   */
  deleteChain(options: ByChainId & Cascade & InTransaction<E["tx"]>): Promise<readonly string[]>;
  /**
   * Deletes chains.
   *
   * @throws `chain-referenced`, `chain-not-found`
   * @example
   * const { items } = await client.listChains({ status: "cancelled", createdBefore: new Date("2026-01-01") });
   * await client.deleteChains({ items });
   */
  deleteChains(options: Items<ByChainId> & Cascade & InTransaction<E["tx"]>): Promise<readonly string[]>;
};

/* Aliases without a name of their own, so that a module that exports a call by itself can be emitted. */
type Items<Item> = { readonly items: readonly Item[] };

type CancelOptions = ByChainId & {
  /** Stored with the chain. */
  readonly reason?: string | undefined;
  /** Default: `cancel`. What a chain that was read says about its blockers means nothing here. */
  readonly blockers?: "cancel" | "leave" | BlockerCounts | undefined;
};

type Cascade = {
  readonly cascade?: boolean | undefined;
};
