import { findBackend } from "@chainwright/backends/vitest";
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import type { AnyClient } from "chainwright";
import { Pool } from "pg";
import { describe, expect, it } from "vitest";
import { createDashboard } from "../src/create-dashboard.ts";
import type { BlockersResponse, ChainResponse, StepsResponse } from "../src/protocol/reads.ts";
import { createLargeChains } from "./large-chains.ts";
import { stores } from "./stores.ts";

const onPage = 50;
const steps = 420;
const blockers = { completed: 390, active: 27, failed: 3 };
const mostBytes = 100_000;
const postgresUrl = await findBackend("postgres");

function reader({ client }: { readonly client: AnyClient }) {
  const dashboard = createDashboard({ client, authorize: () => ({ role: "viewer" }) });
  return async <Body>(path: string): Promise<Body> => {
    const response = await dashboard.fetch(new Request(`http://localhost/-/${path}`));
    const text = await response.text();
    expect({ path, status: response.status, isSmall: text.length < mostBytes }).toEqual({
      path,
      status: 200,
      isSmall: true,
    });
    return JSON.parse(text) as Body;
  };
}

const numbersOf = ({ items }: StepsResponse) => items.map(({ step }) => step);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

describe.each(stores)("large chains $name", { timeout: 240_000 }, ({ isMissing, open }) => {
  it.skipIf(isMissing)("are read page by page, in both directions, with counts instead of all blockers", async () => {
    const large = await createLargeChains(await open(), { steps, blockers });
    const read = reader(large);

    const looped = await read<ChainResponse>(`chain?id=${large.loop}`);
    expect(numbersOf(looped.steps)).toEqual(range(1, onPage));
    expect(looped.lastStep?.step).toBe(steps);
    const of = async (query: string) => await read<StepsResponse>(`steps?id=${large.loop}${query}`);
    const next = await of(`&cursor=${looped.steps.items.at(-1)?.id}`);
    expect(numbersOf(next)).toEqual(range(onPage + 1, 2 * onPage));
    const last = await of("&order=newest");
    expect(numbersOf(last)).toEqual(range(steps - onPage + 1, steps).toReversed());
    const before = await of(`&order=newest&cursor=${next.items[0]?.id}`);
    expect(numbersOf(before)).toEqual(range(1, onPage).toReversed());
    expect(before.nextCursor).toBeUndefined();

    const around = async (step: string | undefined) => numbersOf(await of(`&around=${step}`));
    const second = next.items.at(30)?.id;
    expect(await around(second)).toEqual(range(onPage + 31 - 24, onPage + 31 + 25));
    expect(await around(looped.steps.items[0]?.id)).toEqual(range(1, onPage));
    expect(await around(looped.steps.items[24]?.id)).toEqual(range(1, onPage));
    expect(await around(looped.steps.items[25]?.id)).toEqual(range(2, onPage + 1));
    expect(await around(looped.lastStep?.id)).toEqual(range(steps - 24, steps));
    const dashboard = createDashboard({ client: large.client, authorize: () => ({ role: "viewer" }) });
    const strange = `http://localhost/-/steps?id=${large.loop}&around=${large.join}`;
    const refused = await dashboard.fetch(new Request(strange));
    expect([refused.status, await refused.text()]).toEqual([404, expect.stringContaining("step-not-found")]);

    const { explanation, lastStep } = await read<ChainResponse>(`chain?id=${large.join}`);
    const { completed, active, failed } = blockers;
    expect(explanation?.blockers).toEqual({ total: completed + active + failed, completed, failed });
    const statuses = explanation?.blockedBy.map(({ status }) => status) ?? [];
    expect(statuses).toEqual([...Array<string>(failed).fill("failed"), ...Array<string>(active).fill("active")]);
    expect(lastStep?.blockers.items.length).toBe(20);
    const found: number[] = [];
    let cursor: string | undefined;
    do {
      const page: BlockersResponse = await read(
        `blockers?id=${lastStep?.id}&status=active&status=failed${cursor === undefined ? "" : `&cursor=${cursor}`}`,
      );
      found.push(...page.items.map(({ position }) => position));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(found).toEqual(range(completed, completed + active + failed - 1));
    await large.client.close();
  });
});

it.skipIf(postgresUrl === undefined)(
  "a page of a long chain's steps reads the rows of that page on Postgres",
  { timeout: 240_000 },
  async () => {
    const pool = new Pool({ connectionString: postgresUrl, max: 1 });
    const schema = `dashboard_large_${process.pid}`;
    const stateAdapter = createPostgresStateAdapter({ driver: pg(pool), schema });
    await stateAdapter.migrate();
    const large = await createLargeChains(stateAdapter, { steps, blockers: { completed: 0, active: 1, failed: 0 } });
    // Only its own tables, because other suites on this server control vacuum themselves.
    for (const table of ["job", "open_job", "blocker"]) await pool.query(`vacuum analyze ${schema}.${table}`);
    const read = reader(large);
    const first = await read<StepsResponse>(`steps?id=${large.loop}`);
    const middle = first.items.at(-1)?.id;
    for (const query of [
      "",
      "&order=newest",
      `&cursor=${middle}`,
      `&order=newest&cursor=${middle}`,
      `&around=${middle}`,
    ]) {
      const before = await rowsRead(pool, schema);
      await read(`steps?id=${large.loop}${query}`);
      // The row of a page is read for its place in the index and for itself; one more page is for the cursor and the next page.
      const rows = (await rowsRead(pool, schema)) - before;
      expect({ query, rows, isBounded: rows < 4 * onPage }).toEqual({ query, rows, isBounded: true });
    }
    await large.client.close();
    await stateAdapter.close();
    await pool.query(`drop schema ${schema} cascade`);
    await pool.end();
  },
);

async function rowsRead(pool: Pool, schema: string): Promise<number> {
  await pool.query("select pg_stat_force_next_flush()");
  await pool.query("select pg_stat_clear_snapshot()");
  const { rows } = await pool.query<{ read: string }>(
    `select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as read from pg_stat_user_tables
     where schemaname = $1 and relname = 'job'`,
    [schema],
  );
  return Number(rows[0]?.read);
}
