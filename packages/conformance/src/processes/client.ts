import { createClient } from "chainwright";
import type { NotifyAdapter, StateAdapter } from "chainwright/adapter";
import { jobTypes } from "./job-types.ts";

/**
 * The adapters of one process on a shared store.
 *
 * @example
 * async function openAdapters(path: string): Promise<ProcessAdapters> {
 *   return { stateAdapter: createSqliteStateAdapter({ driver: nodeSqlite(path) }) };
 * }
 * await runConformanceProcess(openAdapters);
 */
export interface ProcessAdapters {
  readonly stateAdapter: StateAdapter;
  /** Left out: workers look by themselves. */
  readonly notifyAdapter?: NotifyAdapter | undefined;
}

export function createProcessClient({ stateAdapter, notifyAdapter }: ProcessAdapters) {
  return createClient({ stateAdapter, notifyAdapter, jobTypes });
}

export type ProcessClient = ReturnType<typeof createProcessClient>;
