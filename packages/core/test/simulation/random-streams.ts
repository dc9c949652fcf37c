import { createRandom } from "../../src/testing/random.ts";

/** Streams of chance that follow from one seed but not from each other: what one uses up leaves the rest as it was. */
export function createStreams(seed: number): (name: number) => () => number {
  return (name) => createRandom(Math.imul(seed ^ 0x9e3779b1, 0x85ebca6b) + Math.imul(name + 1, 0xc2b2ae35));
}
