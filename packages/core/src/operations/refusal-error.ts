import { ChainwrightError } from "../model/error.ts";
import { mostBufferedSignals } from "../model/signal.ts";
import type { Refusal } from "../ports/reply.ts";

/** The error for a call that the store refused: why nothing was written, and what to do. */
export function refusalError(refusal: Refusal): ChainwrightError {
  return new ChainwrightError(refusal.code, refusalMessage(refusal), {
    details: { id: refusal.id, actual: refusal.actual, references: refusal.references },
  });
}

function refusalMessage({ code, id, actual, references = [] }: Refusal): string {
  const list = references.slice(0, 5).join(", ");
  switch (code) {
    case "duplicate-id":
      return `id must be unused; there is a job ${id} already. Leave id out to have one generated.`;
    case "chain-not-found":
      return `there is no chain ${id}: it was never started, its start was rolled back, or it has been deleted.`;
    case "job-not-found":
      return `there is no job ${id}.`;
    case "job-type-mismatch":
      return `typeName must be the type of the open step of chain ${id}, which is "${actual}".`;
    case "chain-not-active":
      return `chain ${id} is ${actual}; only active chains can be cancelled, completed or continued.`;
    case "job-not-scheduled":
      return references.length > 0
        ? `job ${id} waits for the end of an attempt of chain ${list}, which it follows; it begins then, and cannot begin before.`
        : `job ${id} is ${actual}; only scheduled jobs can be triggered.`;
    case "chain-not-retryable":
      return references.length > 0
        ? `chain ${id} cannot be retried because of ${list}: retry or delete that first.`
        : `chain ${id} is ${actual}; only failed and cancelled chains can be retried.`;
    case "chain-referenced":
      return `chain ${id} blocks ${list}${references.length > 5 ? " and more" : ""}; delete those first, or pass cascade: true.`;
    case "blocker-cycle":
      return `chain ${id} would wait for itself through its blockers: ${references.join(" -> ")}.`;
    case "too-many-signals":
      return `chain ${id} has ${mostBufferedSignals} signals that no job has taken; no more are stored. Check whether the chain ever reaches the step that takes them.`;
    case "schedule-not-found":
      return `there is no schedule "${id}": it was never created, its creation was rolled back, or it has been deleted.`;
    case "schedule-changed":
      return `schedule "${id}" has been changed: its revision is ${actual}. Read it again, and repeat the change with that revision.`;
  }
}
