/** Names for an error message: the first ten. */
export function listNames(names: Iterable<string>): string {
  const all = Array.from(names, (name) => `"${name}"`);
  return all.length === 0
    ? "none"
    : all.slice(0, 10).join(", ") + (all.length > 10 ? ` and ${all.length - 10} more` : "");
}
