import type { PageQuery } from "../ports/query.ts";
import type { JobRow } from "./row-types.ts";

/**
 * Rows in the order of their ids, in chunks: ids are mostly time-ordered and go to the end at once, any other one moves at
 * most a chunk. No chunk is empty.
 */
export interface SortedRows {
  readonly chunks: JobRow[][];
}

const chunkSize = 512;

export function createSortedRows(): SortedRows {
  return { chunks: [] };
}

export function addSorted(sorted: SortedRows, row: JobRow): void {
  const { chunks } = sorted;
  const last = chunks[chunks.length - 1];
  if (last === undefined) {
    chunks.push([row]);
    return;
  }
  const tail = last[last.length - 1];
  if (tail === undefined || tail.id < row.id) {
    if (last.length < chunkSize) last.push(row);
    else chunks.push([row]);
    return;
  }
  const place = chunkFor(chunks, row.id);
  const chunk = chunks[place];
  if (chunk === undefined) return;
  chunk.splice(firstNotBelow(chunk, row.id), 0, row);
  if (chunk.length >= 2 * chunkSize) chunks.splice(place + 1, 0, chunk.splice(chunkSize));
}

export function removeSorted(sorted: SortedRows, row: JobRow): void {
  const { chunks } = sorted;
  const place = chunkFor(chunks, row.id);
  const chunk = chunks[place];
  if (chunk === undefined) return;
  const index = firstNotBelow(chunk, row.id);
  if (chunk[index] !== row) return;
  chunk.splice(index, 1);
  if (chunk.length === 0) chunks.splice(place, 1);
}

/** A page of the rows that `accept` accepts. */
export function pageSorted(sorted: SortedRows, query: PageQuery, accept: (row: JobRow) => boolean): JobRow[] {
  return query.order === "ascending" ? pageUp(sorted, query, accept) : pageDown(sorted, query, accept);
}

/** The same page out of a few rows in any order. */
export function pageOf(rows: Iterable<JobRow>, query: PageQuery, accept: (row: JobRow) => boolean): JobRow[] {
  const { after, order } = query;
  const accepted: JobRow[] = [];
  for (const row of rows) {
    const beyond = after === undefined || (order === "ascending" ? row.id > after : row.id < after);
    if (beyond && accept(row)) accepted.push(row);
  }
  accepted.sort(order === "ascending" ? byId : (left, right) => byId(right, left));
  return accepted.slice(0, query.limit);
}

export function byId(left: JobRow, right: JobRow): number {
  if (left.id === right.id) return 0;
  return left.id < right.id ? -1 : 1;
}

function pageUp({ chunks }: SortedRows, { after, limit }: PageQuery, accept: (row: JobRow) => boolean): JobRow[] {
  const page: JobRow[] = [];
  let place = after === undefined ? 0 : chunkFor(chunks, after);
  let index = after === undefined ? 0 : firstNotBelow(chunks[place] ?? [], after);
  for (; place < chunks.length; place += 1, index = 0) {
    const chunk = chunks[place] ?? [];
    for (; index < chunk.length; index += 1) {
      if (page.length >= limit) return page;
      const row = chunk[index];
      if (row !== undefined && row.id !== after && accept(row)) page.push(row);
    }
  }
  return page;
}

function pageDown({ chunks }: SortedRows, { after, limit }: PageQuery, accept: (row: JobRow) => boolean): JobRow[] {
  const page: JobRow[] = [];
  let place = after === undefined ? chunks.length - 1 : chunkFor(chunks, after);
  let index = after === undefined ? Infinity : firstNotBelow(chunks[place] ?? [], after) - 1;
  for (; place >= 0; place -= 1, index = Infinity) {
    const chunk = chunks[place] ?? [];
    for (index = Math.min(index, chunk.length - 1); index >= 0; index -= 1) {
      if (page.length >= limit) return page;
      const row = chunk[index];
      if (row !== undefined && accept(row)) page.push(row);
    }
  }
  return page;
}

/** The last chunk that begins at or below the id; the first chunk when none does. */
function chunkFor(chunks: readonly (readonly JobRow[])[], id: string): number {
  let low = 0;
  let high = chunks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const first = chunks[middle]?.[0];
    if (first !== undefined && first.id <= id) low = middle;
    else high = middle - 1;
  }
  return low;
}

function firstNotBelow(chunk: readonly JobRow[], id: string): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = chunk[middle];
    if (row !== undefined && row.id < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
