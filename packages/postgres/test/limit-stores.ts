import type { StateAdapter } from "chainwright";
import type { Claim, ClaimedJob, JobLimit, LimitRule, Outcome } from "chainwright/adapter";
import { Pool, type PoolClient } from "pg";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { claimOf, job } from "./jobs.ts";

const tables = [
  "job",
  "open_job",
  "parked",
  "kept",
  "lane",
  "place",
  "token",
  "gate_event",
  "limit_rule",
  "gate_rule",
  "blocker",
  "worker",
];

/** A store in a schema of its own, which is empty before each test. */
export function openLimitStore(url: string | undefined | (() => string), name: string) {
  const quoted = `"${name} ${process.pid}"`;
  let pool: Pool | undefined;
  let store: StateAdapter<PoolClient> | undefined;
  beforeAll(async () => {
    pool = new Pool({ connectionString: typeof url === "function" ? url() : url, max: 4 });
    store = createPostgresStateAdapter({ driver: pg(pool), schema: `${name} ${process.pid}` });
    await store.migrate();
  });
  afterAll(async () => {
    await pool?.query(`drop schema ${quoted} cascade`);
    await pool?.end();
  });
  beforeEach(async () => {
    await pool?.query(tables.map((table) => `delete from ${quoted}.${table}`).join("; "));
  });
  const present = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error("the store is open during tests only");
    return value;
  };
  return {
    quoted,
    pool: () => present(pool),
    store: () => present(store),
    /** The rows of a query over tables of the schema `S`. */
    read: async (sql: string): Promise<unknown[][]> => {
      const { rows } = await present(pool).query<unknown[]>({
        text: sql.replaceAll("S.", `${quoted}.`),
        rowMode: "array",
      });
      return rows;
    },
  };
}

export function limits(...keys: readonly (readonly [limit: string, key: string])[]): readonly JobLimit[] {
  return keys.map(([limit, key]) => ({ limit, key }));
}

export const places = (concurrency: number): LimitRule => ({ concurrency, rate: undefined });

export const tokens = (count: number, perMs: number, spread = false): LimitRule => ({
  concurrency: undefined,
  rate: { count, perMs, spread },
});

export const fair: LimitRule = { concurrency: undefined, rate: undefined };

/** Declares limits as a worker does. */
export async function declare<Tx>(store: StateAdapter<Tx>, rules: Readonly<Record<string, LimitRule>>, now?: number) {
  const changes = Object.entries(rules).map(
    ([limit, rule]) => ({ kind: "declare", limit, rule, codeVersion: undefined }) as const,
  );
  await store.changeLimits(changes, { now });
}

/** Starts jobs of the type `a` under these limits. Returns their ids. */
export async function startLimited<Tx>(
  store: StateAdapter<Tx>,
  count: number,
  under: readonly JobLimit[],
  details: Parameters<typeof job>[1] & { readonly now?: number } = {},
): Promise<string[]> {
  const { now, ...rest } = details;
  const starts = Array.from({ length: count }, () => job("a", { limits: under, ...rest }));
  await store.start([{ starts }], { now });
  return starts.map(({ id }) => id);
}

/** A claim that looks for jobs under limits. */
export async function claimLimited<Tx>(
  store: StateAdapter<Tx>,
  limit: number,
  options: Parameters<typeof exchangeLimited>[2] = {},
): Promise<readonly ClaimedJob[]> {
  return (await exchangeLimited(store, limit, options)).claimed;
}

interface LimitedClaim {
  readonly now?: number | undefined;
  readonly types?: readonly string[] | undefined;
  readonly outcomes?: readonly Outcome[] | undefined;
}

export function exchangeLimited<Tx>(
  store: StateAdapter<Tx>,
  limit: number,
  {
    now,
    types = ["a"],
    outcomes = [],
    startable,
    workerId,
  }: Pick<Partial<Claim>, "startable" | "workerId"> & LimitedClaim = {},
) {
  const claim = { ...claimOf(types, limit), limited: true, startable, ...(workerId && { workerId }) };
  return store.exchange({ outcomes, claim }, { now });
}
