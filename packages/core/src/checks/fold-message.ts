/**
 * Replaces what differs between failures of one kind: quoted values, addresses, and every word with a digit, such as ids and hashes. Each
 * pattern begins only where a run of its characters does, so the time grows with the length of the message and not with its square.
 */
export function foldMessage(message: string): string {
  return message
    .replaceAll(/"[^"]*"|`[^`]*`/g, "<text>")
    .replaceAll(singleQuoted, "<text>")
    .replaceAll(/(?<![^\s<>()])[^\s<>()][^\s<>()@]*@[^\s<>()]+/g, "<mail>")
    .replaceAll(/(?<![\w\-+/=.:])[A-Za-z_\-+/=.:]*\d[\w\-+/=.:]*/g, (word) => foldedWord(word));
}

/** The apostrophes of "can't" and "won't" quote nothing, neither outside of quotes nor between them. */
const singleQuoted = /(?<!\w)'(?:[^']|(?<=\w)'(?=\w))*'(?!\w)/g;

/** A trailing sign belongs to the sentence, and what is before the last separator of a path or a pair is often the same in all. */
function foldedWord(word: string): string {
  const end = /(?<![.:,=])[.:,=]+$/.exec(word)?.[0] ?? "";
  return `<id>${end}`;
}
