import type { ChainQuery, ChainRecord, JobQuery, JobRecord } from "chainwright/adapter";
import { equal } from "../check.ts";
import type { Stage } from "./stage.ts";

const everyRow = {
  after: undefined,
  limit: 1_000,
  order: "ascending",
  typeNames: undefined,
  statuses: undefined,
  ids: undefined,
  createdFrom: undefined,
  createdUntil: undefined,
  errorText: undefined,
} as const;

export function chainQuery(details: Partial<ChainQuery> = {}): ChainQuery {
  return { ...everyRow, ...details };
}

export function jobQuery(details: Partial<JobQuery> = {}): JobQuery {
  return { ...everyRow, chainId: undefined, blockedBy: undefined, ...details };
}

export function chains(stage: Stage, details: Partial<ChainQuery> = {}): Promise<readonly ChainRecord[]> {
  return stage.store.listChains(chainQuery(details), stage.options());
}

export function jobs(stage: Stage, details: Partial<JobQuery> = {}): Promise<readonly JobRecord[]> {
  return stage.store.listJobs(jobQuery(details), stage.options());
}

/** How many jobs the store counts, as `{ "type status": count }`; a count of 0 and no count are the same. */
export async function counts(stage: Stage, tx?: unknown): Promise<Readonly<Record<string, number>>> {
  const found = await stage.store.count(stage.options(tx));
  const positive: Record<string, number> = {};
  for (const { typeName, status, count } of found) if (count > 0) positive[`${typeName} ${status}`] = count;
  return positive;
}

/** All that the store answers about its chains and jobs. */
export async function everything(stage: Stage): Promise<unknown> {
  return { chains: await chains(stage), jobs: await jobs(stage), counts: await counts(stage) };
}

/** The statuses of these chains, in order; `undefined` for one that is not there. */
export async function statuses(stage: Stage, ids: readonly string[]): Promise<readonly (string | undefined)[]> {
  const found = await stage.store.getChains(ids, stage.options());
  return found.map((chain) => chain?.status);
}

/** The counts and the rows agree, whatever happened before. */
export async function countsAgree(stage: Stage): Promise<void> {
  const found: Record<string, number> = {};
  for (const { typeName, status } of await jobs(stage)) {
    const key = `${typeName} ${status}`;
    found[key] = (found[key] ?? 0) + 1;
  }
  equal("the counts are those of the rows", await counts(stage), found);
  const stopped = ["failed", "cancelled"] as const;
  const isStopped = (row: { readonly status: string }): boolean => stopped.some((status) => status === row.status);
  equal("jobs that stopped", await jobs(stage, { statuses: stopped }), (await jobs(stage)).filter(isStopped));
  equal("chains that stopped", await chains(stage, { statuses: stopped }), (await chains(stage)).filter(isStopped));
}
