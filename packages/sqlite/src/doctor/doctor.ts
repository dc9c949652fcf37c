import type { CallOptions, InspectReply, InspectRequest, RepairOutcome, RepairRequest } from "chainwright/adapter";
import type { Connection } from "../connect.ts";
import { compareCounts, correctCounts } from "./counts.ts";

/** One page of a check. */
export async function inspect<Tx extends object>(
  { read, counts }: Connection<Tx>,
  { check, ...request }: InspectRequest,
  options: CallOptions<Tx>,
): Promise<InspectReply> {
  if (check === "counts") return compareCounts(counts, request.timeMs);
  // The file contains only tables, no functions that could differ.
  if (check === "schema") return { faults: [], next: undefined, isCut: false };
  return read(options, (reads, now) => reads.inspect({ check, ...request }, now));
}

export async function repair<Tx extends object>(
  { write, counts }: Connection<Tx>,
  { faults, limit, timeMs }: RepairRequest,
  options: CallOptions<Tx>,
): Promise<readonly RepairOutcome[]> {
  if (faults[0]?.kind === "wrong-count") return correctCounts(counts, faults, timeMs);
  const outcomes: RepairOutcome[] = [];
  for (const fault of faults) {
    const once = () => write(options, (writes, now) => writes.repair(fault, limit, now));
    const outcome = await once();
    outcomes.push(outcome);
    // Work that is too much for one transaction takes several.
    for (let more = outcome; more === "repaired" && fault.kind === "job-without-chain";) more = await once();
  }
  return outcomes;
}
