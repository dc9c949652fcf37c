/** The first half of a code point that a cut has split. */
const half = /[\uD800-\uDBFF]$/;

/** Shortens a text, never within a code point, and makes it well-formed, so that every store can store it. */
export function storableText(value: string, longest: number): string {
  const cut = value.length <= longest ? value : `${value.slice(0, longest).replace(half, "")}…`;
  return cut.toWellFormed().replaceAll("\u0000", "\uFFFD");
}
