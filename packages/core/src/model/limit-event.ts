import type { LimitRule } from "./limit.ts";

/** A limit was changed or paused, or a breaker opened or closed. Raised after the commit of the call. Without a `key` it is about all keys. */
export type LimitEvent =
  | ({ readonly type: "limit-changed" } & LimitRule & ChangedLimit)
  | ({ readonly type: "limit-reset" | "limit-resumed" } & ChangedLimit)
  | {
      /** The breaker of a key has opened, or a probe has failed and it is open again: no job with the key begins for `openMs`. */
      readonly type: "limit-opened";
      readonly limit: string;
      readonly key: string;
      readonly openMs: number;
    }
  /** A probe succeeded, so the breaker of the key is closed, and its jobs begin as usual. */
  | { readonly type: "limit-closed"; readonly limit: string; readonly key: string }
  | ({
      readonly type: "limit-paused";
      /** After this time the pause ends by itself. */
      readonly forMs: number | undefined;
    } & ChangedLimit);

interface ChangedLimit {
  readonly limit: string;
  readonly key: string | undefined;
}

/** What workers report of limits. */
export type LimitReport =
  | ({
      /** Jobs wait because a limit is reached for their key: a sample, of 10 keys at most, once a minute for each worker. */
      readonly type: "limit-reached";
      readonly workerId: string;
      readonly limit: string;
      readonly key: string;
      readonly running: number;
      readonly waiting: number;
    } & LimitRule)
  | {
      /**
       * Maintenance has given back the places of limits of so many jobs whose rows are gone: someone deleted them by hand. Delete chains with
       * `client.deleteChains`, which gives places back at once.
       */
      readonly type: "limit-repaired";
      readonly workerId: string;
      readonly jobs: number;
    };
