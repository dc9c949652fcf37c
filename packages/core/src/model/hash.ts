/** The hash of a text, as an unsigned 32-bit integer: FNV-1a. */
export function hashOf(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}

/** One hash of two, each bit of which depends on every bit of both: the final step of MurmurHash3. */
export function mixHashes(one: number, other: number): number {
  let value = one ^ other;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
