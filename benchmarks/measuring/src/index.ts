/**
 * What the benchmark tools share.
 *
 * @module
 */
export { answerParent, startChild, told } from "./child.ts";
export { delay, now } from "./clock.ts";
export { fromCommandLine } from "./command-line.ts";
export { finishRun, measureRun } from "./run.ts";
export type { Measured, Order, RunSettings } from "./run.ts";
export { measure, percentile } from "./figure.ts";
export type { Figure, Latency, ServerCpu } from "./figure.ts";
export { describeHost, headOf } from "./host.ts";
export type { Host } from "./host.ts";
export { wholeNumber, wholeNumbers } from "./numbers.ts";
export { showProgress } from "./progress.ts";
export { cpuOf, placeOf, provideServers } from "./servers.ts";
export type { ServerPlace, Servers } from "./servers.ts";
export { buildSlowSync } from "./slow-sync.ts";
export type { SlowSync } from "./slow-sync.ts";
export { median, shown, spread } from "./spread.ts";
export type { Spread } from "./spread.ts";
export { writeResults } from "./write-results.ts";
