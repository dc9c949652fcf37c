import type { UnreadableReason } from "../model/event.ts";
import type { ChainId, JobId } from "../model/ids.ts";
import type { JobStatus } from "../model/status.ts";
import type { Page, PageOptions, TypeFilter } from "./list-options.ts";

/**
 * An open job that this code cannot run, because its input, or the input or output of a blocker, cannot be read. It contains no payload.
 */
export interface UnreadableJob {
  readonly id: JobId;
  readonly chainId: ChainId;
  readonly typeName: string;
  readonly status: JobStatus;
  readonly payload: "input" | "output" | "signal" | "checkpoint";
  /** The type that the stored value is of: that of the job or of a blocker. */
  readonly ofTypeName: string;
  /** The version in which it is stored. */
  readonly version: number;
  readonly reason: UnreadableReason;
  /** With `schema`: what the schema says is wrong. */
  readonly issues: readonly string[];
  /** For a person. */
  readonly summary: string;
}

/** One page of unreadable jobs. Add up the items and `scanned` of all pages to count them. */
export interface UnreadableJobs extends Page<UnreadableJob> {
  /** How many open jobs were read for this page. */
  readonly scanned: number;
}

/**
 * The options of `listUnreadable`.
 *
 * @example
 * const charges: UnreadableOptions<"order.charge"> = { typeName: "order.charge", maxScanned: 1_000 };
 * const { items } = await client.listUnreadable(charges);
 */
export interface UnreadableOptions<out Name extends PropertyKey = string> extends TypeFilter<Name>, PageOptions {
  /** The most open jobs that one page reads. Default: 10,000. */
  readonly maxScanned?: number | undefined;
}
