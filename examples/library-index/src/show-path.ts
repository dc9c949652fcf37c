/** Returns a printable path, because names may contain line ends and terminal control codes. */
export function showPath(path: string): string {
  // Control characters, format characters (they can reverse the writing direction), unpaired surrogates, and separators except the space.
  const shown = path.replace(/[\p{C}\u2028\u2029]/gu, (character) => escapes[character] ?? unicode(character));
  return shown === "" ? "." : shown;
}

const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function unicode(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
