import { ChainwrightError } from "../model/error.ts";
import type { LostReason } from "../model/outcome.ts";

/** What an attempt is told when its job is not its own any more. */
export function lostError(
  reason: LostReason,
  job: { readonly id: string; readonly typeName: string },
): ChainwrightError {
  return new ChainwrightError(
    reason,
    `${lostText(reason)} (job ${job.id}, "${job.typeName}"); nothing this attempt writes will be kept.`,
    {
      details: { jobId: job.id },
    },
  );
}

function lostText(reason: LostReason): string {
  switch (reason) {
    case "lease-lost":
      return "the lease ran out before it could be renewed, and the job may be running elsewhere";
    case "cancelled":
      return "the chain was cancelled or deleted";
    case "completed-elsewhere":
      return "the step was ended from outside";
  }
}
