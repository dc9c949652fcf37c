/** One page of a list. */
export interface Page<out Item> {
  readonly items: readonly Item[];
  /** Pass it as `cursor` for the next page; undefined: this was the last one. */
  readonly nextCursor: string | undefined;
}

/**
 * Which page of a list.
 *
 * @example
 * const asked = new URL("https://example.com/mails?cursor=abc").searchParams;
 * const page: PageOptions = { limit: 20, cursor: asked.get("cursor") ?? undefined };
 * const { items, nextCursor } = await client.listScheduledJobs({ typeName: "mail.send", ...page });
 */
export interface PageOptions {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
  /** The most items a page holds, up to 1,000. Default: 50. */
  readonly limit?: number | undefined;
}

/**
 * Which rows of a list, and in which order. All that is given has to hold.
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
  readonly createdUntil?: Date | undefined;
  /** A text that its errors contain, case-sensitive. */
  readonly errorText?: string | undefined;
  readonly order?: "newest" | "oldest" | undefined;
}

/**
 * Bounds what one page of a list may cost.
 *
 * @example
 * const bounded: SearchOptions = { maxScanned: 10_000 };
 * const { items, nextCursor } = await client.listJobs({ errorText: "ECONNREFUSED", ...bounded }); // goes on from nextCursor
 */
export interface SearchOptions {
  /**
   * Looks at so many rows at most, where a filter may find little in a long history. A page may then hold fewer items than
   * its limit, even none, and still have a `nextCursor`, which goes on from there. Default: no bound.
   */
  readonly maxScanned?: number | undefined;
}

/** Narrows a list to some types, and its items with it. */
export interface TypeFilter<out Name> {
  readonly typeName?: Name | readonly Name[] | undefined;
}

/** Names a chain or job. */
export interface ById {
  readonly id: string;
}

/** Names a chain or job and the type it is believed to be of: another one is refused with `job-type-mismatch`. */
export interface ByIdOfType<out Name> extends ById {
  readonly typeName: Name;
}

/** Makes a call part of a transaction; without it, the call is one of its own. */
export interface InTransaction<out Tx> {
  readonly tx?: Tx | undefined;
}
