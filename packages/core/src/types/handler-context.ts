import type { ChainwrightError } from "../model/error.ts";
import type { JobLog, Once } from "./notes.ts";
import type { ScheduleOption } from "./schedule-option.ts";
import type { Completed, Continuation } from "./step-result.ts";

/**
 * Aborts when the attempt should stop. `reason.code` is the reason: `lease-lost`, `cancelled`, `completed-elsewhere`, `timeout`, `worker-stopping`.
 *
 * @example
 * function printReason(signal: AttemptSignal): void {
 *   signal.addEventListener("abort", () => logger.info(`stopping: ${signal.reason?.code}`));
 * }
 */
export interface AttemptSignal extends AbortSignal {
  /** Undefined until it aborts. */
  readonly reason: ChainwrightError | undefined;
}

/**
 * The argument of a handler.
 *
 * @example
 * type MailContext<Tx> = HandlerContext<Job<"mail.send", { to: string }, readonly []>, Tx, { sent: boolean }, unknown>;
 * async function sendMail({ job, signal }: MailContext<unknown>) {
 *   await fetch(`https://mail.example.com/send?to=${job.input.to}`, { method: "POST", signal });
 *   return { sent: true };
 * }
 * createProcessors({ client, jobTypes: mailJobTypes, processors: { "mail.send": sendMail } });
 */
export interface HandlerContext<out OwnJob, out Tx, in Output, out ContinueWith> {
  readonly job: OwnJob;
  readonly signal: AttemptSignal;
  /**
   * Writes before the step's work. Call it once, before the other calls, and await it. `staged` commits at once, so that no
   * transaction is open while the handler works; `atomic` keeps the transaction open until `complete`.
   *
   * After the attempt has ended, this call, like every call of the context, throws `attempt-ended`.
   */
  readonly prepare: Prepare<Tx>;
  /**
   * Ends the step in a transaction: the callback's writes with `tx` commit together with the output or continuation that it
   * returns, or not at all. Return its result.
   *
   * @example
   * return complete(async ({ tx, continueWith }) => {
   *   await tx.query("update orders set paid = true where id = $1", [job.input.orderId]);
   *   return continueWith({ typeName: "order.ship", input: { orderId: job.input.orderId } });
   * });
   */
  complete(
    callback: (context: CompleteContext<Tx, ContinueWith>) => Promise<Output | Continuation>,
  ): Promise<Completed>;
  /** Continues the chain with another step: return its result. */
  readonly continueWith: ContinueWith;
  /**
   * Runs a callback until it has succeeded once for the job, and remembers what it returned by its name. Not inside `complete`, nor while
   * the transaction of an atomic `prepare` is open.
   *
   * @throws `duplicate-memo` for a name that the attempt has used already
   * @example
   * createProcessors({
   *   client,
   *   jobTypes: mailJobTypes,
   *   processors: {
   *     "mail.send": async ({ job, once }) => {
   *       const headers = (key: string) => ({ "idempotency-key": key });
   *       const id = await once("send", async ({ idempotencyKey }) => {
   *         const to = `https://mail.example.com/send?to=${job.input.to}`;
   *         return await (await fetch(to, { method: "POST", headers: headers(idempotencyKey) })).text();
   *       });
   *       await once("note", { tx: true }, async ({ tx }) => tx.query("insert into mail (id) values ($1)", [id]));
   *       return { sent: true };
   *     },
   *   },
   * });
   */
  readonly once: Once<Tx>;
  readonly log: JobLog;
  /**
   * Ends this attempt and tries again at that time; no attempt is used up. Throws, so that nothing after it runs.
   *
   * @example
   * createProcessors({
   *   client,
   *   jobTypes: mailJobTypes,
   *   processors: {
   *     "mail.send": async ({ reschedule }) => {
   *       if (new Date().getHours() < 7) reschedule({ afterMs: 3_600_000 }); // no mail at night
   *       return { sent: true };
   *     },
   *   },
   * });
   */
  reschedule(schedule: ScheduleOption): never;
  /**
   * Pauses a key of a limit for a time, for all workers, and tries this job again after it; no attempt is used up. Throws, so that
   * nothing after it runs. For a service that says when it takes requests again.
   *
   * @param options `key`: default: that of this job
   * @throws `limit-not-found` if this job is not under the limit and no key is given, or no limit has that name; `invalid-input`
   * @example
   * createProcessors({
   *   client,
   *   jobTypes: mailJobTypes,
   *   processors: {
   *     "mail.send": async ({ job, holdKey }) => {
   *       const response = await fetch(`https://mail.example.com/send?to=${job.input.to}`, { method: "POST" });
   *       if (response.status === 429) holdKey({ limit: "smtp", forMs: 60_000 });
   *       return { sent: response.ok };
   *     },
   *   },
   * });
   */
  holdKey(options: HoldKeyOptions): never;
}

/**
 * The options of `holdKey`.
 *
 * @example
 * const retryAfter = (response: Response): HoldKeyOptions => ({
 *   limit: "smtp",
 *   forMs: 1_000 * Number(response.headers.get("retry-after") ?? 60),
 * });
 * createProcessors({
 *   client,
 *   jobTypes: mailJobTypes,
 *   processors: {
 *     "mail.send": async ({ holdKey }) => {
 *       const response = await fetch("https://mail.example.com/send", { method: "POST" });
 *       if (response.status === 429) holdKey(retryAfter(response));
 *       return { sent: response.ok };
 *     },
 *   },
 * });
 */
export interface HoldKeyOptions {
  /** The name of the limit. */
  readonly limit: string;
  /** How long no job with the key begins. Of two such times the later end counts. */
  readonly forMs: number;
  /** Default: the key of this job. */
  readonly key?: string | undefined;
}

/**
 * The argument of the callback of `complete`.
 *
 * @example
 * import type { PoolClient } from "pg";
 *
 * const markPaid = async ({ tx }: CompleteContext<PoolClient, unknown>) => {
 *   await tx.query("update orders set paid = true where id = $1", [orderId]);
 *   return { receipt: "r-1" };
 * };
 */
export interface CompleteContext<out Tx, out ContinueWith> {
  /** The database client's own handle of the transaction in which the step ends. */
  readonly tx: Tx;
  /** Continues the chain with another step: return its result. */
  readonly continueWith: ContinueWith;
}

/**
 * The argument of the callback of `prepare`.
 *
 * @example
 * import type { PoolClient } from "pg";
 *
 * const reserve = async ({ tx }: PrepareContext<PoolClient>) =>
 *   (await tx.query("update stock set free = free - 1 where sku = $1", ["A-1"])).rowCount;
 */
export interface PrepareContext<out Tx> {
  /** The database client's own handle of the transaction. */
  readonly tx: Tx;
}

/**
 * `prepare`, with or without a callback; it returns the callback's result.
 *
 * @example
 * import type { PoolClient } from "pg";
 *
 * async function nameOf(prepare: Prepare<PoolClient>, orderId: string): Promise<unknown> {
 *   return await prepare({ mode: "staged" }, async ({ tx }) => {
 *     const { rows } = await tx.query<{ name: string }>("select name from orders where id = $1", [orderId]);
 *     return rows[0]?.name;
 *   });
 * }
 */
export interface Prepare<out Tx> {
  (options: PrepareOptions): Promise<void>;
  <Result>(options: PrepareOptions, callback: (context: PrepareContext<Tx>) => Promise<Result>): Promise<Result>;
}

/**
 * Whether `prepare` commits at once (`staged`), or together with `complete` (`atomic`).
 *
 * @example
 * const holdsTheRow: PrepareOptions = { mode: "atomic" };
 * createProcessors({
 *   client,
 *   jobTypes: mailJobTypes,
 *   processors: {
 *     "mail.send": async ({ job, prepare, complete }) => {
 *       const mail = [job.input.to];
 *       await prepare(holdsTheRow, async ({ tx }) => tx.query("select from users where mail = $1 for update", mail));
 *       return complete(async () => ({ sent: true })); // the row is locked until here
 *     },
 *   },
 * });
 */
export interface PrepareOptions {
  readonly mode: "staged" | "atomic";
}
