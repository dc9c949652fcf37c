import { openSync, writeSync } from "node:fs";
import type { Observer } from "chainwright";

/** A log outside the store: it keeps every line even if its process is killed right after it. */
export type Journal = (...words: readonly (string | number)[]) => void;

export function openJournal(path: string): Journal {
  const file = openSync(path, "a");
  return (...words) => void writeSync(file, `${words.join(" ")}\n`);
}

/** The message of a failure that an input asks for. */
export const asked = "failed, as its input says";

const troubles: ReadonlySet<string> = new Set([
  "store-lost",
  "store-read-only",
  "store-locked",
  "upkeep-failed",
  "handler-mistake",
  "job-failed",
  "lease-lost",
  "notifications-lost",
]);

/** Writes down what must not happen, and the ids of workers. */
export function journalEvents(journal: Journal): Observer {
  return (event) => {
    if (event.type === "worker-started") journal("worker", event.workerId);
    const isFailure = event.type === "attempt-ended" && event.error !== undefined && event.error.message !== asked;
    if (isFailure || troubles.has(event.type)) journal("trouble", JSON.stringify(event));
  };
}
