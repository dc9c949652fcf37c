/** A claim that has passed more index entries than these, besides the jobs that it has taken, remembers where it found its first rows. */
export const manySkipped = (taken: string): string => `1000 + 10 * (${taken})`;
