import type { Joined } from "./job-types.ts";

/** One member of a union, always the same one: the last in the compiler's order. */
type LastOf<Union> = Joined<Union extends unknown ? () => Union : never> extends () => infer Last ? Last : never;

/**
 * The first member of a union in the compiler's order, for an error message: that of the source with TypeScript 5 and 6, that of
 * the alphabet with TypeScript 7. Of more than 50 members it is one of those in the middle, because each round costs as much as
 * the union is long.
 */
export type FirstOf<Union, Rounds extends readonly unknown[] = []> =
  LastOf<Union> extends infer Last
    ? [Union] extends [Last]
      ? Union
      : Rounds["length"] extends 50
        ? Last
        : FirstOf<Exclude<Union, Last>, [...Rounds, unknown]>
    : never;
