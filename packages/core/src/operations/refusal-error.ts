import { ChainwrightError } from "../model/error.ts";
import type { Refusal } from "../ports/state.ts";

/** Says why the store wrote nothing, and what to do. */
export function refusalError(refusal: Refusal): ChainwrightError {
  return new ChainwrightError(refusal.code, refusalMessage(refusal), {
    details: { id: refusal.id, actual: refusal.actual, references: refusal.references },
  });
}

function refusalMessage({ code, id, actual, references = [] }: Refusal): string {
  const list = references.slice(0, 5).join(", ");
  switch (code) {
    case "duplicate-id":
      return `a job with the id ${id} is there already; leave id out to have one made.`;
    case "chain-not-found":
      return `there is no chain ${id}: it was never started, was rolled back, or has been deleted.`;
    case "job-not-found":
      return `there is no job ${id}.`;
    case "job-type-mismatch":
      return `${id} is now at "${actual}", not at the type that was named.`;
    case "chain-not-active":
      return `chain ${id} is ${actual}; only an active one can be changed so.`;
    case "job-not-scheduled":
      return `job ${id} is ${actual}; only a scheduled one can be triggered.`;
    case "chain-not-retryable":
      return references.length > 0
        ? `chain ${id} cannot be retried while ${list} stands in its way: retry or delete that first.`
        : `chain ${id} is ${actual}; only a failed or cancelled one can be retried.`;
    case "chain-referenced":
      return `chain ${id} blocks ${list}${references.length > 5 ? " and more" : ""}; delete those first, or pass cascade: true.`;
    case "blocker-cycle":
      return `chain ${id} would wait for itself through its blockers: ${references.join(" -> ")}.`;
  }
}
