import { startPostgres, type Server } from "@chainwright/backends";
import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import type { ClaimedJob } from "chainwright/adapter";
import { Pool, type PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { completed, job } from "./jobs.ts";
import { claimLimited, declare, exchangeLimited, limits, places } from "./limit-stores.ts";
import { createPageMeter } from "./page-meter.ts";

const url = await findBackend("postgres");

const keys = 600;
const [few, many] = [12_000, 110_000];
const claimed = 50;

interface Backlog {
  /** Jobs in the inbox. */
  readonly ready: number;
  readonly delayed: number;
  /** Jobs of another type in the inbox: the indexes have as many levels with few jobs of this one. */
  readonly others: number;
}

/**
 * Statistics are often made while the inbox is empty, and the plans of that moment have to do for the next backlog. Pages are counted, because
 * a clock would measure the machine. On a server of its own, with no other snapshots.
 */
describe.skipIf(url === undefined)("claims from the inbox", { timeout: 120_000 }, () => {
  let server: Server;
  beforeAll(async () => {
    server = await startPostgres({ settings: { fsync: "off", autovacuum: "off" } });
  });
  afterAll(async () => {
    await server.stop();
  });

  it.each([
    ["many places", 100],
    ["one place", 1],
  ])("read no more pages if the inbox is long, or jobs are delayed, where keys have %s", async (_, concurrency) => {
    const schema = `inbox cost ${concurrency}`;
    // One connection, whose plans are measured.
    const pool = new Pool({ connectionString: server.url, max: 1 });
    const store = createPostgresStateAdapter({ driver: pg(pool), schema });
    await store.migrate();
    await declare(store, { tenant: places(concurrency) });
    const play = createPlay(pool, schema, store);
    await play({ ready: few, delayed: 0, others: 0 });
    await pool.query("vacuum (analyze, truncate off)");
    const beside = {
      none: await play({ ready: few, delayed: 0, others: many }),
      ready: await play({ ready: few + many, delayed: 0, others: 0 }),
      delayed: await play({ ready: few, delayed: many, others: 0 }),
    };
    await pool.end();
    for (const pages of [beside.ready, beside.delayed]) {
      for (const [what, each] of Object.entries(pages)) {
        expect(each, `${what}: ${JSON.stringify(beside)}`).toBeLessThanOrEqual(1.05 * (beside.none[what] ?? 0));
      }
    }
  });
});

/** Works on a backlog whose jobs are new at first, and then old, so that claims put them into their lanes. Then nothing is left of it. */
function createPlay(pool: Pool, schema: string, store: StateAdapter<PoolClient>) {
  const meter = createPageMeter(pool, schema);
  const start = async (type: string, count: number, now: number, afterMs = 0) => {
    for (let from = 0; from < count; from += 500) {
      const starts = Array.from({ length: Math.min(500, count - from) }, (_, n) =>
        job(type, {
          limits: limits(["tenant", `key ${(from + n) % keys}`]),
          schedule: afterMs === 0 ? undefined : { afterMs },
        }),
      );
      await store.start([{ starts }], { now });
    }
  };
  const empty = async () => {
    await pool.query(
      ["job", "open_job", "parked", "lane", "place"].map((table) => `truncate "${schema}".${table}`).join(";"),
    );
  };
  return async ({ ready, delayed, others }: Backlog): Promise<Readonly<Record<string, number>>> => {
    const { pages, measure } = meter();
    const now = Date.now();
    let held: readonly ClaimedJob[] = [];
    const exchange = async (what: string, at: number) => {
      const outcomes = held.map((each) => completed(each));
      ({ claimed: held } = await measure(what, () => exchangeLimited(store, claimed, { now: at, outcomes })));
      expect(held, what).toHaveLength(claimed);
    };
    await start("a", delayed, now, 10_000_000);
    await start("b", others, now);
    await start("a", ready, now);
    // The first claims put those jobs into the inbox that were the first of their calls.
    for (let times = 0; times < 2; times += 1) held = await claimLimited(store, claimed, { now });
    await exchange("claim of new jobs", now);
    await exchange("claim of old jobs", now + 2_000);
    await exchange("claim from lanes", now + 2_000);
    await exchange("claim beside lanes", now + 2_000);
    await empty();
    return pages;
  };
}
