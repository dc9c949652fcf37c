import type { AnyEnv } from "./env.ts";
import type { InputOf, TargetOf, WrittenOutput } from "./job-type-lookups.ts";
import type { ByChainId, ByIdOfType, ByJobId, InTransaction } from "./list-options.ts";
import type { StepTo } from "./next-step.ts";
import type { Refused } from "./refused.ts";
import type { At } from "./table.ts";

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
  completeChain<const Name extends E["names"], Output = OutputFor<E["types"], Name>>(
    options: ByIdOfType<Name> & { readonly output: NoInfer<Output> } & InTransaction<E["tx"]>,
  ): Promise<void>;

  /**
   * Continues a chain with another step, without a worker.
   *
   * @param options `typeName` is the step the caller believes is open, `with` what it continues with.
   * @throws `job-type-mismatch` when the chain has moved on, `chain-not-active`, `chain-not-found`
   * @example
   * const input = { orderId, cents: 4_200 };
   * await client.continueChain({ id, typeName: "order.place", with: { typeName: "order.charge", input, blockers: [] } });
   */
  continueChain<const Name extends E["names"], Next = StepAfter<E["types"], Name>>(
    options: ByIdOfType<Name> & { readonly with: NoInfer<Next> } & InTransaction<E["tx"]>,
  ): Promise<void>;

  /**
   * Makes a scheduled job ready now.
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
   * Ends an active chain; the signal of a running attempt aborts with `cancelled`.
   *
   * @throws `chain-not-active`, `chain-not-found`
   * @example
   * await client.transaction(async (tx) => {
   *   await tx.query("update orders set cancelled = true where id = $1", [orderId]);
   *   await client.cancelChain({ tx, id: chain.id, reason: "the customer called" });
   * });
   */
  cancelChain(options: CancelOptions & InTransaction<E["tx"]>): Promise<void>;
  /**
   * Ends active chains.
   *
   * @throws `chain-not-active`, `chain-not-found`
   * @example
   * const { items } = await client.listChains({ typeName: "mail.send", status: "active" });
   * await client.cancelChains({ items: items.map(({ id }) => ({ id, reason: "a wrong address list" })) });
   */
  cancelChains(options: Items<CancelOptions> & InTransaction<E["tx"]>): Promise<void>;

  /**
   * Resumes a failed or cancelled chain at the step where it stopped. Dependents that failed because of it wait again.
   *
   * @param options `input` replaces that step's; `typeName` is the step the caller believes it stopped at.
   * @throws `chain-not-retryable`, `job-type-mismatch`, `chain-not-found`
   * @example
   * await client.retryChain({ id }); // as it was
   * await client.retryChain({ id, typeName: "mail.send", input: { to: "ada@example.org" } }); // with another input
   */
  retryChain<const Name extends E["names"], Options extends object = RetryOptionsOf<E["types"], Name>>(
    options: OfStep<Name, Options> & InTransaction<E["tx"]>,
  ): Promise<void>;
  /**
   * Resumes failed and cancelled chains.
   *
   * @throws `chain-not-retryable`, `job-type-mismatch`, `chain-not-found`
   * @example
   * const { items } = await client.listChains({ status: "failed", errorText: "ECONNREFUSED" });
   * await client.retryChains({ items: items.map(({ id }) => ({ id })) });
   */
  retryChains<const Names extends readonly E["names"][], Items = RetryItems<E["types"], Names>>(
    options: { readonly items: OfSteps<Names, Items> } & InTransaction<E["tx"]>,
  ): Promise<void>;

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

interface Items<in out Item> {
  readonly items: readonly Item[];
}

interface CancelOptions extends ByChainId {
  /** Stored with the chain. */
  readonly reason?: string | undefined;
}

interface Cascade {
  readonly cascade?: boolean | undefined;
}

/* Names are inferred from the branch that is never taken; see `NamedOptions` of the starts. */
type OfStep<Name, Options> = [Name] extends [never] ? { readonly typeName?: Name } : NoInfer<Options>;
type OfSteps<Names extends readonly PropertyKey[], Items> = [Names] extends [never]
  ? { readonly [Place in keyof Names]: { readonly typeName?: Names[Place] } }
  : NoInfer<Items>;

type RetryItems<Types, Names extends readonly PropertyKey[]> = {
  readonly [Place in keyof Names]: RetryOptionsOf<Types, Names[Place]>;
};

type RetryOptionsOf<Types, Name extends PropertyKey> = At<Retries<Types>, Name>;

/* A replaced input belongs to a step, so it comes with the step's name. */
type Retries<Types> = { [Name in keyof Types]: RetryOptions<Name, InputOf<Types[Name]>> };

interface RetryOptions<in out Name, in out Input> extends ByChainId {
  readonly typeName?: Name | undefined;
  readonly input?: Input | undefined;
}

type OutputFor<Types, Name extends PropertyKey> = At<WrittenOutputs<Types>, Name>;

type WrittenOutputs<Types> = {
  [Name in keyof Types]: "output" extends keyof Types[Name]
    ? WrittenOutput<Types[Name]>
    : Refused<`'${Name & string}' has no output; it can only continue`>;
};

type StepAfter<Types, Name extends PropertyKey> = At<StepsAfter<Types>, Name>;

type StepsAfter<Types> = {
  [Name in keyof Types]: "continueWith" extends keyof Types[Name]
    ? StepTo<Types, TargetOf<Types[Name]>>
    : Refused<`'${Name & string}' ends its chain; it has no continueWith`>;
};
