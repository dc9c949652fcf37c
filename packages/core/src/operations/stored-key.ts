import type { KeyQuery } from "../ports/query.ts";

/*
 * Each type has its own deduplication keys: a deduplicated start returns a chain of its own type. So a store has a key together
 * with the name of the type. The key comes first, so that one search finds it for all types.
 */

export function storedKey(typeName: string, key: string): string {
  return JSON.stringify([key, typeName]);
}

/** Finds a key of one type, or of any. */
export function keyQuery(typeNames: readonly string[] | undefined, key: string): KeyQuery {
  const [only, ...others] = typeNames ?? [];
  if (only !== undefined && others.length === 0) return { equals: storedKey(only, key) };
  return { beginsWith: `[${JSON.stringify(key)},` };
}

/** The key as its user wrote it. */
export function givenKey(stored: string): string {
  const parts: unknown = JSON.parse(stored);
  return Array.isArray(parts) && typeof parts[0] === "string" ? parts[0] : stored;
}
