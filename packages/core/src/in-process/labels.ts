import type { ChainQuery, KeyQuery } from "../ports/query.ts";
import { nothing } from "../rules/replies.ts";
import type { JobRow } from "./row-types.ts";
import { addSorted, createSortedRows, removeSorted } from "./sorted-rows.ts";
import type { SortedRows } from "./sorted-rows.ts";

/*
 * The texts under which chains are found: one for a chain's deduplication key, and one for each of its tags.
 */

type Labels = Map<string, SortedRows>;

export function addLabels(labels: Labels, chain: JobRow): void {
  for (const label of labelsOf(chain)) {
    const rows = labels.get(label) ?? createSortedRows();
    labels.set(label, rows);
    addSorted(rows, chain);
  }
}

export function removeLabels(labels: Labels, chain: JobRow): void {
  for (const label of labelsOf(chain)) {
    const rows = labels.get(label);
    if (rows === undefined) continue;
    removeSorted(rows, chain);
    if (rows.chunks.length === 0) labels.delete(label);
  }
}

/** The shortest list that holds all chains with the tags and the key of a query. Undefined: it names one only by its beginning, or none. */
export function rowsWith(labels: Labels, { tags, key }: ChainQuery): SortedRows | undefined {
  const wanted = Object.entries(tags ?? {}).map(([name, value]) => tagLabel(name, value));
  if (key !== undefined && "equals" in key) wanted.push(keyLabel(key.equals));
  const lists = wanted.map((label) => labels.get(label) ?? createSortedRows());
  return lists.toSorted((left, right) => left.chunks.length - right.chunks.length)[0];
}

export function isKey(key: string | undefined, query: KeyQuery): boolean {
  if (key === undefined) return false;
  return "equals" in query ? key === query.equals : key.startsWith(query.beginsWith);
}

function labelsOf({ shared }: JobRow): readonly string[] {
  if (shared === undefined) return nothing;
  const labels = Object.entries(shared.tags ?? {}).map(([name, value]) => tagLabel(name, value));
  if (shared.deduplication !== undefined) labels.push(keyLabel(shared.deduplication.key));
  return labels;
}

export const tagLabel = (name: string, value: string) => `tag ${JSON.stringify([name, value])}`;
const keyLabel = (key: string) => `key ${key}`;
