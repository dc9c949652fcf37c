import type { StateAdapter } from "chainwright";
import type { Chore, ClaimedJob, MaintainReply, Outcome } from "chainwright/adapter";
import type { Pool, PoolClient } from "pg";
import { expect } from "vitest";
import { claim, completed, jobs } from "./jobs.ts";

/** A schema, and the one connection whose statements are measured. */
interface Measured {
  readonly pool: Pool;
  /** The schema's name in quotation marks. */
  readonly quoted: string;
}

export async function readNumber(pool: Pool, text: string): Promise<number> {
  const { rows } = await pool.query<{ n: string }>(`select (${text})::text as n`);
  return Number(rows[0]?.n);
}

/** The pages of the schema's tables and their indexes that the open transaction has read. */
export function pagesRead({ pool, quoted }: Measured, names = "%"): Promise<number> {
  return readNumber(
    pool,
    `select sum(pg_stat_get_xact_blocks_fetched(c.oid)) from pg_class c
      where c.relnamespace = '${quoted}'::regnamespace and c.relkind in ('r', 'i') and c.relname like '${names}'`,
  );
}

export interface Pass extends MaintainReply {
  readonly pages: number;
}

export interface PassDetails {
  readonly completedMs?: number;
  readonly failedMs?: number;
  readonly limit?: number;
  readonly now?: number;
}

/** One pass of a chore, and the pages that it read. */
export async function measuredPass(
  { store, ...measured }: Measured & { readonly store: StateAdapter<PoolClient> },
  chore: Chore,
  details: PassDetails,
): Promise<Pass> {
  const { now, completedMs, failedMs, limit = 1_000 } = details;
  await measured.pool.query("begin");
  const before = await pagesRead(measured);
  const reply = await store.maintain({ chore, completedMs, failedMs, limit }, { now });
  const pages = (await pagesRead(measured)) - before;
  await measured.pool.query("commit");
  return { ...reply, pages };
}

export async function endedJobs(store: StateAdapter<PoolClient>): Promise<number | undefined> {
  return (await store.count({})).find(({ status }) => status === "completed")?.count;
}

export async function settleAll(
  store: StateAdapter<PoolClient>,
  count: number,
  outcomeOf: (held: ClaimedJob) => Outcome,
): Promise<void> {
  for (let left = count; left > 0; left -= 500) {
    await store.start([{ starts: jobs(Math.min(left, 500), "a") }], {});
    const held = await claim(store, ["a"], 500);
    const replies = await store.settle(held.map(outcomeOf), {});
    expect(replies.every(({ status }) => status === "settled")).toBe(true);
  }
}

export function failedOutcome(held: ClaimedJob): Outcome {
  return {
    target: completed(held).target as { jobId: string; workerId: string; fence: number },
    kind: "failed",
    errors: "[]",
  };
}
