/**
 * A claim that has passed more index entries than these remembers where it found its first rows. In a file of its own, because tests
 * replace it by a small number.
 */
export const manySkipped = (taken: string): string => `1000 + 10 * (${taken})`;
