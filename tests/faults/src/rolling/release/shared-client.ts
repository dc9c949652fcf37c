import { createClient } from "chainwright";
import { journalEvents } from "./journal.ts";
import type { RollingProcess } from "./open-process.ts";
import { sharedJobTypes } from "./shared-job-types.ts";

export type SharedClient = ReturnType<typeof openSharedClient>;

/** A client of the job types that both releases declare in the same way. */
export function openSharedClient({ store, journal }: RollingProcess) {
  const { stateAdapter, notifyAdapter } = store;
  return createClient({
    stateAdapter,
    notifyAdapter,
    jobTypes: sharedJobTypes,
    observers: [journalEvents(journal)],
  });
}
