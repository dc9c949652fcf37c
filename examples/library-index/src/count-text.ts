import type { TextCounts } from "./job-types.ts";

const newline = 0x0a;
const space = 0x20;
const tab = 0x09;
const carriageReturn = 0x0d;

/** Continues counting in the next bytes of a text. It works on bytes, because a chunk may end in the middle of a character. */
export function countText(before: TextCounts, bytes: Uint8Array): TextCounts {
  let { lines, words, inWord } = before;
  for (const byte of bytes) {
    if (byte === newline) lines += 1;
    const isSpace = byte === space || (byte >= tab && byte <= carriageReturn);
    if (!isSpace && !inWord) words += 1;
    inWord = !isSpace;
  }
  return { lines, words, inWord };
}
