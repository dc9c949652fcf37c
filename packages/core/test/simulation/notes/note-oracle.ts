import type { JobRecord } from "../../../src/model/record.ts";
import type { LogLineRecord } from "../../../src/model/note.ts";
import type { StateAdapter } from "../../../src/ports/state.ts";
import { allRows } from "../all-rows.ts";
import { count, notedOf, reportsOf, type NoteLedger } from "./note-ledger.ts";

/** So many lines fit between the places of two claims. */
const linesPerClaim = 2 ** 32;

/** What of F1, F2 and F5 does not hold at the end of a world. */
export async function judgeNotes(store: StateAdapter, ledger: NoteLedger): Promise<readonly string[]> {
  const jobs = await store.listJobs(allRows, {});
  const receipts = Map.groupBy(
    jobs.filter(({ typeName }) => typeName === "receipt"),
    ({ input }) => receiptOf(input),
  );
  const violations: string[] = [];
  const expected = new Set<string>();
  for (const [id, { memos }] of ledger.jobs)
    for (const name of memos.keys()) if (name.startsWith("part")) expected.add(`${id} ${name}`);
  for (const key of new Set([...expected, ...receipts.keys()])) {
    const times = receipts.get(key)?.length ?? 0;
    if (times !== (expected.has(key) ? 1 : 0)) violations.push(`F2: ${key} was written ${times} times`);
  }
  for (const job of jobs) {
    if (job.typeName !== "import") continue;
    count(ledger, job.status);
    violations.push(...judgeJob(ledger, job), ...(await judgeReports(store, ledger, job)));
  }
  return violations;
}

function judgeJob(ledger: NoteLedger, { id, status, input, output }: JobRecord): readonly string[] {
  if (status !== "completed") return [];
  const { parts } = partsOf(input);
  const { memos } = notedOf(ledger, id);
  const all = Array.from({ length: parts }, (_, part) => [`part ${part}`, `mail ${part}`]).flat();
  const missing = ["upload", ...all].filter((name) => !memos.has(name));
  const violations = missing.map((name) => `F1: job ${id} has completed without ${name}`);
  if (output !== JSON.stringify({ parts })) violations.push(`F8: job ${id} has completed with ${output}`);
  return violations;
}

/** F5: lines are on record once and in their order, and those of the claim that completed the job are all there, as is its progress. */
async function judgeReports(store: StateAdapter, ledger: NoteLedger, { id }: JobRecord): Promise<readonly string[]> {
  const query = { items: [{ jobId: id }], lines: 1_000, order: "ascending", memos: "none" } as const;
  const [notes] = await store.listNotes(query, {});
  const { completedBy } = notedOf(ledger, id);
  const violations: string[] = [];
  const lines = notes?.lines ?? [];
  const byClaim = Map.groupBy(lines, ({ seq }) => Math.floor(seq / linesPerClaim));
  for (const [fence, of] of byClaim) {
    const written = reportsOf(ledger, id, fence).lines;
    const found = textsOf(of);
    const isInOrder = found.every(
      (text, at) => at === 0 || written.indexOf(found[at - 1] ?? "") < written.indexOf(text),
    );
    if (!isInOrder || found.some((text) => !written.includes(text)))
      violations.push(`F5: claim ${fence} of job ${id} logged ${written.join()}, and ${found.join()} is on record`);
  }
  if (completedBy === undefined) return violations;
  const { lines: written, progress } = reportsOf(ledger, id, completedBy);
  const found = textsOf(byClaim.get(completedBy) ?? []);
  if (found.join() !== written.join())
    violations.push(`F5: of the lines ${written.join()} of job ${id}, which completed, ${found.join()} are on record`);
  if (progress !== undefined && notes?.progress?.value !== progress)
    violations.push(`F5: job ${id} completed with the progress ${progress}, and has ${notes?.progress?.value}`);
  return violations;
}

function textsOf(lines: readonly LogLineRecord[]): readonly string[] {
  return lines.map(({ message }) => message);
}

function receiptOf(input: string): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the handlers of this world wrote it
  const { jobId, name } = JSON.parse(input) as { readonly jobId: string; readonly name: string };
  return `${jobId} ${name}`;
}

function partsOf(input: string): { readonly parts: number } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the actions of this world wrote it
  return JSON.parse(input) as { readonly parts: number };
}
