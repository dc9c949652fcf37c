/** A path as it can be printed: names may hold line ends, and codes that drive a terminal. */
export function showPath(path: string): string {
  // Control, format (turns the direction of writing round) and unpaired characters, and separators other than the space.
  const shown = path.replace(/[\p{C}\u2028\u2029]/gu, (character) => escapes[character] ?? unicode(character));
  return shown === "" ? "." : shown;
}

const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function unicode(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
