const longest = 4_000;

/** A value as JSON, with readable forms of what JSON cannot express: undefined, errors, bigints, Maps and Sets. */
export function show(value: unknown): string {
  const text = JSON.stringify(value, (_key, item: unknown) => readable(item)) ?? "undefined";
  return text.length > longest ? `${text.slice(0, longest)}... (${text.length} characters)` : text;
}

function readable(item: unknown): unknown {
  if (item === undefined) return "(undefined)";
  if (typeof item === "bigint") return `${item}n`;
  if (typeof item === "number" && !Number.isFinite(item)) return `(${item})`;
  if (typeof item === "function") return `(function ${item.name})`;
  if (item instanceof Error) {
    const code: unknown = "code" in item ? item.code : undefined;
    return { name: item.name, message: item.message, code, cause: item.cause };
  }
  if (item instanceof Map) return [...item.entries()];
  if (item instanceof Set) return [...item.values()];
  return item;
}
