/**
 * The command line of Chainwright, as a function; its program is `chainwright`.
 *
 * @module
 */
export type { CliConfig } from "./store/config.ts";
export { run } from "./run.ts";
export type { Surroundings } from "./surroundings.ts";
