import type { LostWorkerRecord } from "../model/record.ts";
import type { CallOptions } from "./call.ts";
import type { FailureGroupsReply, FailureQuery } from "./failure.ts";
import type { HistoryQuery, HistoryReply } from "./history.ts";

/** What a store keeps of workers beyond their lives, and of failures. It may leave out each of these. */
export interface KeptReads<Tx> {
  /**
   * Workers whose last heartbeat is valid no more and that have not reported their end, the newest loss first, and by id where they were
   * lost together. When half of the time has passed for which a worker's last heartbeat is valid, the next heartbeat of another worker
   * notes what it holds; a further heartbeat of its own forgets that. `maintain` deletes those that were lost before
   * `lostWorkerLimits.keptMs`, and of the others all but the newest `lostWorkerLimits.mostWorkers`. A store that leaves it out keeps none.
   */
  listLostWorkers?(options: CallOptions<Tx>): Promise<readonly LostWorkerRecord[]>;
  /** The totals of what heartbeats have counted; `maintain` deletes old ones. A store that leaves it out keeps none. */
  readHistory?(query: HistoryQuery, options: CallOptions<Tx>): Promise<HistoryReply>;
  /**
   * Counts failed jobs by their type and the kind of their failure, without reading the jobs. A store that leaves it out need not know
   * `JobQuery.failures`.
   */
  groupFailures?(query: FailureQuery, options: CallOptions<Tx>): Promise<FailureGroupsReply>;
}
