/** A limit, or one of its keys. */
export interface LimitTarget {
  readonly limit: string;
  readonly key?: string;
}

/** The id of a limit or of one of its keys in requests and in the audit: the JSON text of a list, as `["tenant","acme"]`. */
export function limitIdOf({ limit, key }: LimitTarget): string {
  return JSON.stringify(key === undefined ? [limit] : [limit, key]);
}

/** Returns what an id names; undefined for a text that is no id. */
export function limitOfId(id: string): LimitTarget | undefined {
  const [limit, key, ...more] = partsOf(id);
  if (!isName(limit) || more.length > 0) return undefined;
  if (key === undefined) return { limit };
  return isName(key) ? { limit, key } : undefined;
}

function partsOf(id: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(id);
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

function isName(part: unknown): part is string {
  return typeof part === "string" && part.isWellFormed() && !part.includes("\u0000");
}
