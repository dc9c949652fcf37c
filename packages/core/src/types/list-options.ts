import type { ChainId, JobId } from "../model/ids.ts";
import type { ChainStatus } from "../model/status.ts";
import type { Tags } from "../model/tags.ts";

/** One page of a list. */
export interface Page<out Item> {
  readonly items: readonly Item[];
  /** Pass it as `cursor` for the next page; undefined on the last page. */
  readonly nextCursor: string | undefined;
}

/**
 * The page of a list to return.
 *
 * @example
 * const asked = new URL("https://example.com/mails?cursor=abc").searchParams;
 * const page: PageOptions = { limit: 20, cursor: asked.get("cursor") ?? undefined };
 * const { items, nextCursor } = await client.listScheduledJobs({ typeName: "mail.send", ...page });
 */
export interface PageOptions {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** The most items a page holds, up to 1,000. Default: 50. */
  readonly limit?: number | undefined;
}

/**
 * Filters the rows of a list, and orders them. A row must match all filters.
 *
 * @example
 * const yesterday: FilterOptions<ChainStatus> = {
 *   status: ["failed", "cancelled"],
 *   createdFrom: new Date(Date.now() - 24 * 3_600_000),
 *   order: "oldest",
 * };
 * const { items } = await client.listChains(yesterday);
 */
export interface FilterOptions<out Status> extends PageOptions {
  readonly status?: Status | readonly Status[] | undefined;
  readonly ids?: readonly string[] | undefined;
  /** Created then or later. */
  readonly createdFrom?: Date | undefined;
  /** Created before then. */
  readonly createdBefore?: Date | undefined;
  /** A text that its errors contain, case-sensitive. */
  readonly errorText?: string | undefined;
  readonly order?: "newest" | "oldest" | undefined;
}

/**
 * Finds chains by what they were started with.
 *
 * @example
 * const ofTenant = (tenant: string): LabelOptions => ({ tags: { tenant } });
 * const { items } = await client.listChains({ ...ofTenant("acme"), status: "failed" });
 */
export interface LabelOptions {
  /** Only chains with all these tags, exactly. */
  readonly tags?: Tags | undefined;
  /** Only chains that were started with this deduplication key, whether or not they hold it. */
  readonly deduplicationKey?: string | undefined;
}

/**
 * Limits the cost of one page of a list.
 *
 * @example
 * const bounded: SearchOptions = { maxScanned: 10_000 };
 * const { items, nextCursor } = await client.listJobs({ errorText: "ECONNREFUSED", ...bounded }); // the next page: pass nextCursor as cursor
 */
export interface SearchOptions {
  /**
   * The most rows to read for one page, for a filter that matches few rows of a long history. A page may then hold fewer items
   * than its limit, even none, and still have a `nextCursor`, which continues from there. Default: no limit.
   */
  readonly maxScanned?: number | undefined;
}

/**
 * Leaves large payloads out of a list.
 *
 * @example
 * const small: PayloadOptions = { mostPayloadBytes: 2_000 };
 * const { items } = await client.listChains(small);
 * for (const chain of items) console.log(chain.omitted?.input ?? JSON.stringify(chain.input));
 */
export interface PayloadOptions {
  /**
   * Inputs and outputs with more bytes of JSON are not read: `omitted` of the item has their sizes, and reading one throws
   * `invalid-input`. 0: none is read. Default: all are read.
   */
  readonly mostPayloadBytes?: number | undefined;
}

/**
 * Finds where chains are.
 *
 * @example
 * const where = (ids: readonly string[]): NewestOfChains => ({ newestOf: ids });
 * const { items } = await client.listJobs({ ...where([id]), status: "blocked" });
 * for (const { chainId, typeName, status } of items) console.log(chainId, typeName, status);
 */
export interface NewestOfChains {
  /** Only the newest job of each of these chains: the open one, or the one with which the chain ended. */
  readonly newestOf?: readonly string[] | undefined;
}

/**
 * Narrows a list of blockers.
 *
 * @example
 * const unfinished: BlockerFilter = { blockerStatus: ["failed", "cancelled", "active"] };
 * const { items } = await client.listJobBlockers({ id, ...unfinished });
 */
export interface BlockerFilter {
  /** Only blockers with one of these statuses. Default: all. */
  readonly blockerStatus?: ChainStatus | readonly ChainStatus[] | undefined;
}

/** Narrows a list to some types, and its items with it. */
export interface TypeFilter<out Name> {
  readonly typeName?: Name | readonly Name[] | undefined;
}

/** Names a chain: its id, or the chain itself, as it was started or read. */
export interface ByChainId {
  readonly id: ChainId;
}

/** Names a job: its id, or the job itself, as it was read. */
export interface ByJobId {
  readonly id: JobId;
}

/** Names a chain and the type of the step that is believed to be open: another one is refused with `job-type-mismatch`. */
export interface ByIdOfType<out Name> {
  readonly id: ChainId;
  readonly typeName: Name;
}

/** Names a chain by the deduplication key that it was started with. */
export interface ByKeyOfType<out Name> {
  readonly typeName: Name;
  readonly deduplicationKey: string;
  readonly id?: undefined;
}

/** Makes a call part of a transaction; without `tx`, the call has its own transaction. */
export interface InTransaction<out Tx> {
  readonly tx?: Tx | undefined;
}
