import type { ChainwrightEvent, Observer } from "chainwright";
import type { Journal } from "./journal.ts";

type Kind = ChainwrightEvent["type"];

/** Events about a whole chain. */
const ofChains: ReadonlySet<Kind> = new Set<Kind>([
  "chain-started",
  "chain-completed",
  "chain-failed",
  "chain-cancelled",
  "chain-deleted",
]);
/** Events that report the end of a job. */
const ofJobs: ReadonlySet<Kind> = new Set<Kind>(["job-completed", "job-continued", "job-failed", "job-cancelled"]);

/** Records the starts and ends that a process reports. */
export function journalEvents(journal: Journal): Observer {
  return (event) => {
    if (!("chainId" in event)) return;
    if (ofChains.has(event.type)) journal.write(event.type, event.chainId);
    else if ("jobId" in event && ofJobs.has(event.type)) journal.write(event.type, event.jobId);
  };
}

/** The file in which a process records its events, beside its journal. */
export const eventsPath = (journal: string): string => `${journal}.events`;
