import type { Page } from "chainwright";

/** A read of one page. */
export type ReadPage<Item> = (page: {
  readonly cursor?: string | undefined;
  readonly limit: number;
}) => Promise<Page<Item>>;

const pageSize = 200;

/** Reads pages until `limit` items are found or the list ends; the pages end early when the reader stops. */
export async function* pagesOf<Item>(
  read: ReadPage<Item>,
  limit: number,
  size = pageSize,
): AsyncGenerator<readonly Item[]> {
  let left = limit;
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = await read({
      limit: Math.min(left, size),
      ...(cursor === undefined ? {} : { cursor }),
    });
    if (items.length > 0) yield items;
    left -= items.length;
    cursor = nextCursor;
  } while (cursor !== undefined && left > 0);
}

/** The number of rows that a list shows by default. */
export const usualLimit = 50;

/** `--all` has no limit. */
export function limitOf({
  all,
  limit,
}: {
  readonly all?: true | undefined;
  readonly limit?: number | undefined;
}): number {
  return all === true ? Infinity : (limit ?? usualLimit);
}
