export { lend } from "./lend.ts";
export type { Lent } from "./lend.ts";
export { createLimit } from "./limit.ts";
