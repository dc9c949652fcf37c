/** The text of an array parameter, for values that need no escape: numbers and ids. */
export function arrayOf(values: readonly (string | number)[]): string {
  return `{${values.join(",")}}`;
}

/** The text of an array parameter, for any texts. */
export function textArrayOf(texts: readonly string[]): string {
  return arrayOf(texts.map((text) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`));
}
