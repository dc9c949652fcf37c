import type { ChainRecord, JobRecord, StateAdapter } from "chainwright/adapter";
import { equal } from "../check.ts";
import { chainQuery, jobQuery } from "../state/listing.ts";
import { createProcessClient } from "./client.ts";
import { outputOfPart } from "./job-types.ts";

const pageSize = 500;

/** Whether all jobs have ended. */
export async function isQuiet(adapter: StateAdapter): Promise<boolean> {
  const counts = await adapter.count({});
  const open: ReadonlySet<string> = new Set(["blocked", "scheduled", "ready", "running"]);
  return counts.every(({ status, count }) => count === 0 || !open.has(status));
}

/** Every order was carried out once, and the store is whole. */
export async function judge(adapter: StateAdapter, orders: number): Promise<void> {
  const chains = await allChains(adapter);
  const jobs = await allJobs(adapter);
  const numbers = Array.from({ length: orders }, (_, n) => n);
  const ofType = (typeName: string) => chains.filter((chain) => chain.typeName === typeName);

  equal("chains that have not completed", named(chains.filter(({ status }) => status !== "completed")), []);
  equal(
    "the inputs of the orders, each once",
    inputsOf(ofType("order")),
    numbers
      .map((n) => ({ n }))
      .map(text)
      .toSorted(),
  );
  equal(
    "the inputs of the parts, each once",
    inputsOf(ofType("part")),
    numbers
      .flatMap((n) => [1, 2].map((part) => ({ n, part })))
      .map(text)
      .toSorted(),
  );
  equal(
    "the outputs of the orders",
    ofType("order")
      .map(({ output }) => output ?? "")
      .toSorted(),
    numbers.map((n) => text({ n, sum: outputOfPart({ n, part: 1 }) + outputOfPart({ n, part: 2 }) })).toSorted(),
  );
  const orderIds = new Set(ofType("order").map(({ id }) => id));
  const steps = jobs.filter(({ chainId }) => orderIds.has(chainId));
  equal("steps of the orders that have not completed", named(steps.filter(({ status }) => status !== "completed")), []);
  equal("the number of steps", steps.length, orders * 2);
  equal(
    "the jobs with an effect, each once",
    inputsOf(ofType("effect")),
    steps.map(({ id }) => text({ of: id })).toSorted(),
  );
  equal(
    "jobs of chains that do not exist",
    named(jobs.filter(({ chainId }) => !chains.some(({ id }) => id === chainId))),
    [],
  );
  const client = createProcessClient({ stateAdapter: adapter });
  equal("findings of the doctor", (await client.doctor()).findings, []);
  await client.close();
}

function named(
  rows: readonly { readonly id: string; readonly typeName: string; readonly status: string }[],
): readonly string[] {
  return rows.map(({ id, typeName, status }) => `${typeName} ${id} is ${status}`);
}

function inputsOf(chains: readonly ChainRecord[]): readonly string[] {
  return chains.map(({ input }) => input).toSorted();
}

function text(value: object): string {
  return JSON.stringify(value);
}

function allChains(adapter: StateAdapter): Promise<readonly ChainRecord[]> {
  return allPages((after) => adapter.listChains(chainQuery({ limit: pageSize, after }), {}));
}

function allJobs(adapter: StateAdapter): Promise<readonly JobRecord[]> {
  return allPages((after) => adapter.listJobs(jobQuery({ limit: pageSize, after }), {}));
}

async function allPages<Row extends { readonly id: string }>(
  page: (after: string | undefined) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const next = await page(rows.at(-1)?.id);
    rows.push(...next);
    if (next.length < pageSize) return rows;
  }
}
