import { startPostgres, type Server } from "@chainwright/backends";
import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import type { ChainQuery } from "chainwright/adapter";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { claim, completed, job, jobs } from "./jobs.ts";

const url = await findBackend("postgres");

const everything: ChainQuery = {
  after: undefined,
  limit: 50,
  order: "descending",
  typeNames: undefined,
  statuses: undefined,
  ids: undefined,
  createdFrom: undefined,
  createdBefore: undefined,
  errorText: undefined,
};

describe.skipIf(url === undefined)("the cost of tags and keys on Postgres", { timeout: 60_000 }, () => {
  const schema = "a schema";
  let server: Server;
  let pool: Pool;
  let store: StateAdapter;

  beforeAll(async () => {
    // A server of its own: changes that other sessions make to their tables let the planner read the first pages of indexes again.
    server = await startPostgres({ settings: { fsync: "off", autovacuum: "off" } });
    pool = new Pool({ connectionString: server.url, max: 1 });
    store = createPostgresStateAdapter({ driver: pg(pool), schema }) as StateAdapter;
    await store.migrate();
  });

  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  /** The pages of these tables and their indexes that a call reads. */
  const pagesOf = async (relations: readonly string[], run: () => Promise<unknown>): Promise<number> => {
    const names = relations.map((name) => `"${schema}".${name}`);
    const read = async () => {
      const { rows } = await pool.query<{ pages: string }>(
        "select sum(pg_stat_get_xact_blocks_fetched(r)) as pages from unnest($1::regclass[]) r",
        [names],
      );
      return Number(rows[0]?.pages);
    };
    await pool.query("begin");
    const before = await read();
    await run();
    const pages = (await read()) - before;
    await pool.query("commit");
    return pages;
  };

  it("chains without tags read and write no page of the tags or of the keys, from their start to their deletion", async () => {
    const life = async () => {
      const blocker = job("x");
      const blocked = job("a", { blockers: [{ start: blocker }] });
      await store.start([{ starts: [...jobs(3, "a"), blocked] }], {});
      await store.start([{ starts: [job("a")] }], {});
      for (const typeNames of [["x"], ["a"]]) {
        await store.settle(
          (await claim(store, typeNames, 100)).map((each) => completed(each)),
          {},
        );
      }
      const chains = await store.listChains(everything, {});
      await store.remove({ chainIds: chains.slice(0, 2).map(({ id }) => id), cascade: true }, {});
      await store.maintain({ completedMs: 0, failedMs: 0, limit: 100 }, {});
    };
    // The first time on a connection, the planner reads the first pages of indexes.
    await life();
    expect(await pagesOf(["tag", "tag_pkey"], life)).toBe(0);
    const { rows } = await pool.query<{ bytes: string }>(`select pg_relation_size('"${schema}".job_key') as bytes`);
    // An index has one page before it has an entry.
    expect(Number(rows[0]?.bytes)).toBe(8_192);
  });

  it.each(["without statistics", "with statistics"])(
    "a page of 20,000 chains of one tag, or of one key, costs what it shows, %s",
    async (statistics) => {
      const { rows } = await pool.query<{ count: string }>(`select count(*) from "${schema}".tag`);
      if (Number(rows[0]?.count) === 0) await fill();
      if (statistics === "with statistics") await pool.query(`analyze "${schema}".job, "${schema}".tag`);
      const relations = ["tag", "tag_pkey", "job", "job_pkey", "job_key", "job_oldest", "job_chain"];
      const costs: Record<string, number> = {};
      const look = async (what: string, query: Partial<ChainQuery>, count = 50) => {
        const list = async () => {
          expect(await store.listChains({ ...everything, ...query }, {})).toHaveLength(count);
        };
        costs[what] = await pagesOf(relations, list);
      };
      const tenant = { tenant: "acme" };
      const middle = "80000000-0000-4000-8000-000000000000";
      await look("a tag", { tags: tenant });
      await look("a tag, ascending", { tags: tenant, order: "ascending", after: middle });
      await look("a tag that one chain has", { tags: { orderId: "7" } }, 1);
      await look("a tag that one chain has, and one that all have", { tags: { ...tenant, orderId: "7" } }, 1);
      await look("a tag that no chain has", { tags: { orderId: "none" } }, 0);
      await look("a key", { key: { equals: '["nightly","a"]' } });
      await look("a key that one chain has, of any type", { key: { beginsWith: '["one 7",' } }, 1);
      // A row is found by at most four pages of each of three indexes; of several tags, up to a thousand rows are counted.
      expect(Object.entries(costs).filter(([, pages]) => pages > 50 * 12 + 1_000)).toEqual([]);
    },
  );

  /** 20,000 chains with the same tag and key, each with a tag of its own, among 20,000 others. */
  async function fill(): Promise<void> {
    const s = `"${schema}"`;
    await pool.query(`insert into ${s}.job (id, chain_id, step, type_name, priority, on_blocker_failure, status, chain_status,
        attempt, position, created_at, key, key_scope, tags, input)
      select i.id, i.id, 1, 'a', 0, 0, 0, 0, 0, i.n, 0,
        case when i.n <= 20000 then '["nightly","a"]' else '["one ' || i.n - 20000 || '","a"]' end, 0,
        case when i.n <= 20000 then json_build_object('tenant', 'acme', 'orderId', i.n::text)::text end, '1'
      from (select n, gen_random_uuid() as id from generate_series(1, 40000) n) i`);
    await pool.query(`insert into ${s}.tag (name, value, chain_id)
      select t.key, t.value, j.id from ${s}.job j cross join jsonb_each_text(j.tags::jsonb) t`);
  }
});
