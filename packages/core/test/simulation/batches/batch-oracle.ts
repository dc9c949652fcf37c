import type { JobRecord } from "../../../src/model/record.ts";
import type { StateAdapter } from "../../../src/ports/state.ts";
import { allRows } from "../all-rows.ts";
import type { Fact } from "../facts.ts";
import { count, type BatchLedger } from "./batch-ledger.ts";
import { itemOf, mostJobs, outputOf } from "./batch-processors.ts";

interface Seen {
  readonly ledger: BatchLedger;
  /** What the store has committed, and how often. */
  readonly facts: ReadonlyMap<Fact, number>;
}

const mostBroken = Math.log2(mostJobs);

/** What of G1, G2 and G4 does not hold at the end of a world. */
export async function judgeBatches(store: StateAdapter, { ledger, facts }: Seen): Promise<readonly string[]> {
  const jobs = await store.listJobs(allRows, {});
  const receipts = Map.groupBy(
    jobs.filter(({ typeName }) => typeName === "receipt"),
    ({ input }) => receiptOf(input),
  );
  const violations: string[] = [];
  for (const job of jobs) {
    if (job.typeName === "receipt") continue;
    count(ledger, job.status);
    const { id, typeName, status } = job;
    violations.push(...judgeEnd(job));
    const ends = (["completed", "failed", "cancelled"] as const).map((how) => facts.get(`job-${how} ${id}`) ?? 0);
    if (ends.reduce((sum, times) => sum + times, 0) !== 1)
      violations.push(`G1: job ${id} ended ${ends.join(" + ")} times`);
    const broken = ledger.broken.get(id)?.size ?? 0;
    if (broken > mostBroken) violations.push(`G2: poison broke ${broken} attempts at job ${id}`);
    const expected = typeName === "throws in complete" && status === "completed" ? 1 : 0;
    const written = receipts.get(id)?.length ?? 0;
    if (written !== expected) violations.push(`G4: complete wrote ${written} times for job ${id}, which is ${status}`);
  }
  return violations;
}

function judgeEnd({ id, status, input, output }: JobRecord): readonly string[] {
  const item = itemOf(JSON.parse(input));
  if (status === "cancelled") return [];
  if (status !== (item.isPoison ? "failed" : "completed"))
    return [`G2: job ${id} is ${status}, and ${item.isPoison ? "is" : "is not"} poison`];
  const expected = item.isPoison ? undefined : JSON.stringify(outputOf(item));
  return output === expected ? [] : [`G1: job ${id} has the output ${output} instead of ${expected}`];
}

function receiptOf(input: string): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the handlers of this world wrote it
  return (JSON.parse(input) as { readonly jobId: string }).jobId;
}
