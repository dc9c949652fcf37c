import type { ChainwrightEvent, Observer } from "chainwright";
import type { Journal } from "./journal.ts";

type Kind = ChainwrightEvent["type"];

/** Events that are about a chain as a whole. */
const ofChains: ReadonlySet<Kind> = new Set<Kind>([
  "chain-started",
  "chain-completed",
  "chain-failed",
  "chain-cancelled",
  "chain-deleted",
]);
/** Events that say that a job has ended. */
const ofJobs: ReadonlySet<Kind> = new Set<Kind>(["job-completed", "job-continued", "job-failed", "job-cancelled"]);

/** Writes down what a process reports of beginnings and ends. */
export function journalEvents(journal: Journal): Observer {
  return (event) => {
    if (!("chainId" in event)) return;
    if (ofChains.has(event.type)) journal.write(event.type, event.chainId);
    else if ("jobId" in event && ofJobs.has(event.type)) journal.write(event.type, event.jobId);
  };
}

/** Where a process writes its events down, beside its journal. */
export const eventsPath = (journal: string): string => `${journal}.events`;
