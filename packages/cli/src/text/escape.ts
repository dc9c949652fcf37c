/*
 * Texts from a store may have been written by anyone. Control characters move the cursor, hide lines or set the title of a
 * terminal; marks of direction swap what is read.
 */
const unsafe = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu;

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** The text in one line, without characters that a terminal obeys. */
export function escapeText(text: string): string {
  return text.replace(unsafe, (each) => short[each] ?? coded(each));
}

/** A value as JSON in one line, without characters that a terminal obeys; it reads back to the same value. */
export function toJson(value: unknown): string {
  return (JSON.stringify(value) ?? "null").replace(unsafe, coded);
}

function coded(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
