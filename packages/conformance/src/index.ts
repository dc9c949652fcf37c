/**
 * The rules that adapters must keep, as named cases for any test runner. Give each case a time limit of 30 seconds.
 *
 * @module
 */
export { behaviourConformance, type BehaviourConformanceOptions } from "./behaviour/suite.ts";
export type { BehaviourNeed } from "./behaviour/group.ts";
export type { ConformanceCase } from "./case.ts";
export { ConformanceFailure } from "./check.ts";
export type { NotifyBackend, NotifyConformanceOptions, NotifyNeed } from "./notify/backend.ts";
export { notifyConformance } from "./notify/suite.ts";
export type { ProcessAdapters } from "./processes/client.ts";
export { runConformanceProcess } from "./processes/process.ts";
export { processConformance, type ProcessConformanceOptions, type SharedStore } from "./processes/suite.ts";
export type { Planting } from "./state/planting.ts";
export type { StateBackend, StateConformanceOptions, StateNeed, UserTable } from "./state/backend.ts";
export type { StateArea } from "./state/area-names.ts";
export { stateConformance } from "./state/suite.ts";
