/**
 * The contenders, for measurements that need more than one process.
 *
 * @module
 */
export type { Contender, Load, Mode, OnJob, OpenContender, Pace, RunningWorker } from "./contender.ts";
export { allContenders } from "./contenders/all.ts";
export { fill } from "./fill.ts";
