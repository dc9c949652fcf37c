import type { Joined } from "./job-types.ts";

/** One member of a union, always the same one. */
export type OneOf<Union> = Joined<Union extends unknown ? () => Union : never> extends () => infer One ? One : never;
