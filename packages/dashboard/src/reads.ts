/**
 * What the dashboard's pages read, as functions, for another door to the same views.
 *
 * @module
 */
export { createReads, type Reads, type ReadsOptions } from "./create-reads.ts";
export { readJson } from "./http/read-body.ts";
export { refusalOf } from "./http/refusal.ts";
export { refuseOtherOrigins } from "./http/same-origin.ts";
export { senderOf, type SenderOptions } from "./sender.ts";
export type { FaultsResponse } from "./reads/faults.ts";
export type { WorkerView } from "./protocol/overview.ts";
export type { ChainResponse, ChainsResponse, JobResponse } from "./protocol/reads.ts";
export type { SignalView } from "./protocol/signals.ts";
export type {
  ChainRowView,
  ChainStatus,
  ChainView,
  DependentView,
  ExplanationView,
  Page,
  PayloadView,
  StepView,
} from "./protocol/views.ts";
