import type { DeclaredLimit, LimitInfo } from "./limit-reports.ts";
import type { RateOptions } from "./limits.ts";
import type { InTransaction, Page } from "./list-options.ts";
import type { Refused } from "./refused.ts";

/* An alias; see `StartCalls`. */
/** The client's calls about limits. They need no `limits` of the client: the store knows what workers have declared. */
export type LimitCalls<in out Tx> = {
  /**
   * Changes what a limit allows, for one key or for all keys that have no change of their own. What is not named stays as it is. It
   * counts for all workers, until `resetLimit`, whatever the code says. Jobs that run are left alone: a lower limit takes effect as they
   * end.
   *
   * @throws `limit-not-found`, `invalid-input`
   * @example
   * await client.changeLimit({ limit: "tenant", key: "acme", concurrency: 20 });
   */
  changeLimit(options: ChangeLimit<Tx>): Promise<void>;

  /**
   * Takes back what `changeLimit` changed, of one key or, without `key`, what was changed for all keys: then the limit is again as the
   * code says.
   *
   * @throws `limit-not-found`, `invalid-input`
   * @example
   * await client.resetLimit({ limit: "tenant", key: "acme" });
   */
  resetLimit(options: NamedLimit<Tx>): Promise<void>;

  /**
   * Lets no job with the key begin, or without `key` no job under the limit. Attempts that run go on. Of two pauses the later end counts.
   *
   * @param options after `forMs` the pause ends by itself; left out, it ends with `resumeLimit`.
   * @throws `limit-not-found`, `invalid-input`
   * @example
   * await client.pauseLimit({ limit: "smtp", key: "main", forMs: 60_000 });
   */
  pauseLimit(options: PauseLimit<Tx>): Promise<void>;

  /**
   * Ends a pause, of one key or, without `key`, that of the whole limit, and wakes the workers. It also opens what failures have closed:
   * the key, or without `key` all keys of the limit are normal again.
   *
   * @throws `limit-not-found`, `invalid-input`
   * @example
   * await client.resumeLimit({ limit: "smtp", key: "main" });
   */
  resumeLimit(options: NamedLimit<Tx>): Promise<void>;

  /**
   * Lists the keys of limits that are in use, in the order of limit and key: how many jobs run and wait, and what is allowed.
   *
   * @param options `limit` selects, and with it `key`; with `busy: true` only keys with a job that waits for its turn, with a pause, or closed by failures.
   * @throws `invalid-input`
   * @example
   * const { items } = await client.listLimits({ limit: "tenant", busy: true });
   * for (const { key, running, concurrency, waiting } of items) console.log(`${key}: ${running} of ${concurrency}, ${waiting} wait`);
   */
  listLimits(options?: ListLimits<Tx>): Promise<Page<LimitInfo>>;

  /**
   * Lists the limits themselves: what code has declared, what was changed for all keys, and whether they are paused.
   *
   * @example
   * for (const { limit, concurrency, rate } of await client.listDeclaredLimits()) console.log(limit, concurrency, rate);
   */
  listDeclaredLimits(options?: InTransaction<Tx>): Promise<readonly DeclaredLimit[]>;
};

interface NamedLimit<out Tx> extends InTransaction<Tx> {
  /** The name of the limit. */
  readonly limit: string;
  /** Left out: all keys. */
  readonly key?: string | undefined;
}

interface ChangeLimit<out Tx> extends NamedLimit<Tx> {
  /** The most jobs of a key that run at the same time. At least 1: to let no job begin, use `pauseLimit`. */
  readonly concurrency?: number | undefined;
  /** How many attempts of a key may begin in a time. */
  readonly rate?: RateOptions | undefined;
}

interface PauseLimit<out Tx> extends NamedLimit<Tx> {
  /** After this time the pause ends by itself. Left out: it ends with `resumeLimit`. */
  readonly forMs?: number | undefined;
}

export type ListLimits<Tx> = ListKeys<Tx> | ListKey<Tx>;

interface ListKey<out Tx> extends InTransaction<Tx> {
  readonly limit: string;
  /** Only this key, whether or not it has jobs. */
  readonly key: string;
  readonly busy?: Refused<"listLimits with a key reads that key only; remove busy"> | undefined;
  readonly cursor?: Refused<"listLimits with a key reads that key only; remove cursor"> | undefined;
  readonly pageSize?: number | undefined;
}

interface ListKeys<out Tx> extends InTransaction<Tx> {
  /** Only keys of this limit. */
  readonly limit?: string | undefined;
  readonly key?: undefined;
  /** Only keys with a job that waits for its turn, with a pause, or closed by failures. */
  readonly busy?: boolean | undefined;
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** The most items of a page, up to 1,000. Default: 50. */
  readonly pageSize?: number | undefined;
}
