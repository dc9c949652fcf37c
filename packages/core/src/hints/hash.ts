/** A number that follows from a text, and looks like any other: FNV-1a. */
export function drawOf(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}

/** One number from two, in which every bit of both tells: the end of MurmurHash3. */
export function mixed(one: number, other: number): number {
  let value = one ^ other;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
