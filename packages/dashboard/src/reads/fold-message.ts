/**
 * Replaces what differs between failures of one kind: quoted values, addresses, and every word with a digit, such as ids and hashes. Each
 * pattern takes whole runs of characters, so the time grows with the length of the message and not with its square.
 */
export function foldMessage(message: string): string {
  return message
    .replaceAll(/"[^"]*"|`[^`]*`/g, "<text>")
    .replaceAll(singleQuoted, "<text>")
    .replaceAll(/[^\s<>()]+/g, (run) => (/.@./.test(run) ? "<mail>" : run))
    .replaceAll(/[A-Za-z0-9_\-+/=.:]+/g, (word) => (/\d/.test(word) ? foldedWord(word) : word));
}

/** The apostrophes of "can't" and "won't" quote nothing, neither outside of quotes nor between them. */
const singleQuoted = /(?<!\w)'(?:[^']|(?<=\w)'(?=\w))*'(?!\w)/g;

/** A trailing sign belongs to the sentence, and what is before the last separator of a path or a pair is often the same in all. */
function foldedWord(word: string): string {
  const end = /(?<![.:,=])[.:,=]+$/.exec(word)?.[0] ?? "";
  return `<id>${end}`;
}
