import { FatalError } from "../../../src/model/error.ts";
import type { ErasedDefinition } from "../../../src/worker/processor.ts";
import type { Life } from "../life.ts";
import type { SimulatedClient } from "../world.ts";
import { count, type BatchLedger, type ItemInput } from "./batch-ledger.ts";

/** The most jobs of a call. */
export const mostJobs = 8;

/** How a handler tells that a job of its call is poison, and how it ends its jobs. */
export type BatchType = "each by itself" | "throws" | "throws in complete";

export const batchTypes: readonly BatchType[] = ["each by itself", "throws", "throws in complete"];

interface Item {
  readonly id: string;
  readonly attempt: number;
  readonly input: ItemInput;
}

interface CompleteScope {
  readonly tx: unknown;
  readonly jobs: readonly Item[];
}

interface BatchContext {
  readonly jobs: readonly Item[];
  readonly failed: { fatal(reason: string): unknown };
  complete(run: (scope: CompleteScope) => Promise<readonly unknown[]>): Promise<unknown>;
}

/** Where handlers run, and who reads what they saw. */
export interface Bench {
  readonly life: Life;
  readonly client: SimulatedClient;
  readonly ledger: BatchLedger;
  readonly violations: string[];
}

const retry = { maxAttempts: 200, backoff: { initialMs: 100, maxMs: 1_000 } };

/** A type for each way in which a handler ends its jobs, and the job that `complete` writes for each of its own. */
export function processorsOf(bench: Bench): Readonly<Record<string, ErasedDefinition>> {
  const batchOf = (type: BatchType): ErasedDefinition => ({
    retry,
    batch: {
      maxSize: mostJobs,
      maxWaitMs: 300,
      by: (input) => itemOf(input).group,
      handler: async (context) => {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of handlers are erased
        return await handle(bench, type, context as BatchContext);
      },
    },
  });
  const batches = batchTypes.map((type) => [type, batchOf(type)] as const);
  return { ...Object.fromEntries(batches), receipt: { handler: async () => null, retry } };
}

async function handle(bench: Bench, type: BatchType, { jobs, failed, complete }: BatchContext): Promise<unknown> {
  check(bench, jobs);
  const { life, client, ledger } = bench;
  await new Promise<void>((resolve) => void life.clock.setTimer(resolve, jobs[0]?.input.handlerMs ?? 0));
  switch (type) {
    case "each by itself":
      return jobs.map(({ input }) => (input.isPoison ? failed.fatal("poison") : outputOf(input)));
    case "throws":
      spoil(ledger, jobs);
      return jobs.map(({ input }) => outputOf(input));
    case "throws in complete":
      return await complete(async ({ tx, jobs: left }) => {
        if (left.length < jobs.length) count(ledger, "completed without a lost job");
        for (const { id } of left) await client.startChain({ tx, typeName: "receipt", input: { jobId: id } });
        spoil(ledger, left);
        return left.map(({ input }) => outputOf(input));
      });
  }
}

/** Throws if a job is poison. The one that is alone fails for good. */
function spoil(ledger: BatchLedger, jobs: readonly Item[]): void {
  const { length } = jobs.filter(({ input }) => input.isPoison);
  if (length === 0) return;
  if (jobs.length === 1) throw new FatalError("poison");
  for (const { id, input, attempt } of jobs)
    if (!input.isPoison) ledger.broken.set(id, (ledger.broken.get(id) ?? new Set()).add(attempt));
  count(ledger, "broken");
  throw new Error("poison");
}

function check({ ledger, violations }: Bench, jobs: readonly Item[]): void {
  const names = jobs.map(({ id }) => id).join();
  if (jobs.length > 1) count(ledger, "shared");
  if (new Set(jobs.map(({ id }) => id)).size < jobs.length) violations.push(`G1: a call got a job twice: ${names}`);
  if (new Set(jobs.map(({ input }) => input.group)).size !== 1) violations.push(`G5: groups are mixed: ${names}`);
  for (const { id, attempt } of jobs)
    if (jobs.length > Math.max(1, mostJobs >> (attempt - 1)))
      violations.push(`G2: attempt ${attempt} at job ${id} shares a call with ${jobs.length - 1} others`);
}

export function outputOf({ n }: ItemInput): object {
  return { double: 2 * n };
}

export function itemOf(input: unknown): ItemInput {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the actions of this world wrote it
  return input as ItemInput;
}
