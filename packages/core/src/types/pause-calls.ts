import type { AnyEnv } from "./env.ts";
import type { PausedTypeInfo } from "./job-reports.ts";
import type { InTransaction } from "./list-options.ts";
import type { WaitOptions } from "./read-calls.ts";

/* An alias; see `StartCalls`. */
/** The client's calls about pauses of job types. */
export type PauseCalls<in out E extends AnyEnv> = {
  /**
   * Pauses job types for all workers: once it has returned, or the transaction has committed, no claim that begins later takes a job
   * of these types. Attempts that run go on. Jobs keep their priority, their order and their due time, and count as `ready`. A pause
   * of a type that is paused replaces the earlier one.
   *
   * @param options `reason` and `by` are shown by `explainJob` and `listPausedTypes`; after `forMs` the pause ends by itself.
   * @throws `unknown-job-type`, `invalid-input`
   * @example
   * await client.pauseJobTypes({ typeNames: ["mail.send"], reason: "the provider is down", by: "ada", forMs: 600_000 });
   */
  pauseJobTypes(options: PauseJobTypes<E["names"]> & InTransaction<E["tx"]>): Promise<void>;

  /**
   * Ends the pauses of job types, and wakes the workers. It changes nothing about types that are not paused.
   *
   * @throws `unknown-job-type`, `invalid-input`
   * @example
   * await client.resumeJobTypes({ typeNames: ["mail.send"] });
   */
  resumeJobTypes(options: NamedTypes<E["names"]> & InTransaction<E["tx"]>): Promise<void>;

  /**
   * Lists the job types that are paused.
   *
   * @example
   * for (const { typeName, reason, until } of await client.listPausedTypes()) console.log(typeName, reason, until);
   */
  listPausedTypes(options?: InTransaction<E["tx"]>): Promise<readonly PausedTypeInfo[]>;

  /**
   * Waits until no job of these types runs. With `pending: true` it waits until none is ready either: the types are drained. Jobs that
   * are scheduled or blocked do not count. It counts jobs about once a second.
   *
   * @param options `timeoutMs` is a minute by default; `Infinity` waits without a limit.
   * @throws `await-timeout` with what is left, `unknown-job-type`, `invalid-input`, or the signal's reason
   * @example
   * await client.pauseJobTypes({ typeNames: ["mail.send"], reason: "a migration of the table mails" });
   * await client.awaitIdle({ typeNames: ["mail.send"], timeoutMs: 60_000 }); // now no handler writes to it
   */
  awaitIdle(options: AwaitIdle<E["names"]>): Promise<void>;
};

/* Aliases without a name of their own, so that a module that exports a call by itself can be emitted. */
type NamedTypes<Name> = {
  readonly typeNames: readonly Name[];
};

type PauseJobTypes<Name> = NamedTypes<Name> & {
  /** Stored with the pause. */
  readonly reason?: string | undefined;
  /** Who pauses the types. Stored with the pause. */
  readonly by?: string | undefined;
  /** After this time the pause ends by itself. Left out: it ends when the types are resumed. */
  readonly forMs?: number | undefined;
};

type AwaitIdle<Name> = NamedTypes<Name> &
  WaitOptions & {
    /** Whether ready jobs count as well. Default: false. */
    readonly pending?: boolean | undefined;
  };
