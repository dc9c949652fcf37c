import type { ErasedClient } from "../types/erased-client.ts";

const calls = {
  transaction: true,
  startChains: true,
  awaitChain: true,
  getChain: true,
  getJob: true,
  listChains: true,
  listJobs: true,
  listScheduledJobs: true,
  listChainJobs: true,
  listBlockedJobs: true,
  listJobBlockers: true,
  listManyBlockers: true,
  explainJob: true,
  explainChain: true,
  listUnreadable: true,
  listWorkers: true,
  listLostWorkers: true,
  groupFailures: true,
  jobHistory: true,
  countJobs: true,
  countAllJobs: true,
  countQueuedJobs: true,
  listPausedTypes: true,
  pauseJobTypes: true,
  resumeJobTypes: true,
  listSchedules: true,
  listTicks: true,
  listNotes: true,
  pauseSchedule: true,
  resumeSchedule: true,
  triggerSchedule: true,
  updateSchedule: true,
  resetSchedule: true,
  deleteSchedule: true,
  listLimits: true,
  listDeclaredLimits: true,
  changeLimit: true,
  resetLimit: true,
  pauseLimit: true,
  resumeLimit: true,
  listSignals: true,
  signalChain: true,
  signalChains: true,
  triggerJob: true,
  triggerJobs: true,
  cancelChain: true,
  cancelChains: true,
  retryChain: true,
  retryChains: true,
  deleteChain: true,
  deleteChains: true,
  doctor: true,
  close: true,
  [Symbol.asyncDispose]: true,
} satisfies Record<keyof ErasedClient, true>;

/**
 * Checks at run time that a value has all calls of a client, so that they can be called without its types. A client of another copy of the
 * package, and one that wraps another, has them too.
 *
 * @example
 * const retryAll = async (client: AnyClient, ids: readonly string[]) => {
 *   if (!isErasedClient(client)) throw new TypeError("client must be a value that createClient returned");
 *   await client.retryChains({ items: ids.map((id) => ({ id })) });
 * };
 */
export function isErasedClient(client: unknown): client is ErasedClient {
  if (typeof client !== "object" || client === null) return false;
  return Reflect.ownKeys(calls).every((call) => typeof Reflect.get(client, call) === "function");
}
