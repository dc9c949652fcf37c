import { startPostgres, type Server } from "@chainwright/backends";
import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import type { ClaimedJob, LogLine, NoteItem } from "chainwright/adapter";
import { Pool, type PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { claim, completed, jobs, workerId } from "./jobs.ts";
import { scaled } from "./scale.ts";

const url = await findBackend("postgres");

const manyNotes = scaled(20_000, 1_000_000);
const upkeep = { chore: "windows", completedMs: undefined, failedMs: undefined, limit: 100 } as const;

/** Counts the pages that calls read, because a clock would measure the machine. On a server of its own, so that vacuum removes rows. */
describe.skipIf(url === undefined)("the cost of notes", { timeout: 600_000 }, () => {
  const schema = `note cost ${process.pid}`;
  const s = `"${schema}"`;
  let server: Server;
  let pool: Pool;
  let store: StateAdapter<PoolClient>;

  beforeAll(async () => {
    server = await startPostgres({ settings: { fsync: "off" } });
    // One connection, whose statements are measured.
    pool = new Pool({ connectionString: server.url, max: 1 });
    store = createPostgresStateAdapter({ driver: pg(pool), schema });
    await store.migrate();
  });

  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  /** Notes of ended jobs: a memo, a checkpoint, progress and a line each. */
  const fill = async (from: number) => {
    await pool.query(`
      create table ${s}.filled as select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id
        from generate_series(${from + 1}, ${from + manyNotes / 2}) n;
      insert into ${s}.memo (job_id, name, value, attempt, at) select id, m.name, '1', 1, 0 from ${s}.filled, (values (''), ('m')) m(name);
      insert into ${s}.progress (job_id, value, attempt, at, lines) select id, '1', 1, 0, 1 from ${s}.filled;
      insert into ${s}.log_line (job_id, seq, at, attempt, level, message) select id, 1, 0, 1, 'info', '"m"' from ${s}.filled;
      drop table ${s}.filled`);
    for (const table of ["memo", "progress", "log_line"]) await pool.query(`vacuum analyze ${s}.${table}`);
  };

  const pagesRead = async (of = ""): Promise<number> => {
    const { rows } = await pool.query<{ pages: string | null }>(
      `select sum(pg_stat_get_xact_blocks_fetched(c.oid)) as pages
      from pg_class c where c.relnamespace = '${s}'::regnamespace and c.relkind in ('r', 'i') and c.relname ~ $1`,
      [of],
    );
    return Number(rows[0]?.pages ?? 0);
  };

  /** Measures calls on the one connection, whose plans are there. */
  const measuring = (of?: string) => {
    const pages: Record<string, number> = {};
    const measure = async <T>(what: string, run: () => Promise<T>): Promise<T> => {
      await pool.query("begin");
      const before = await pagesRead(of);
      const value = await run();
      pages[what] = (await pagesRead(of)) - before;
      await pool.query("commit");
      return value;
    };
    return { pages, measure };
  };

  const line = (seq: number): LogLine => ({ seq, at: 0, level: "info", message: "m", data: undefined });
  const noting = ({ id, fence }: ClaimedJob, seq: number): NoteItem => ({
    target: { jobId: id, workerId, fence },
    attempt: 1,
    memos: [{ name: `m${seq}`, value: "1" }],
    checkpoint: "1",
    progress: "1",
    lines: [line(seq)],
  });
  const givenBack = ({ id, fence }: ClaimedJob) =>
    ({
      target: { jobId: id, workerId, fence },
      kind: "deferred",
      schedule: undefined,
      counted: true,
      errors: undefined,
    }) as const;

  const play = async (): Promise<Record<string, number>> => {
    const { pages, measure } = measuring();
    const starts = jobs(10, "a");
    await store.start([{ starts }], {});
    const held = await claim(store, ["a"], 10);
    await measure("first note", () =>
      store.note(
        held.map((each) => noting(each, 1)),
        {},
      ),
    );
    const replies = await measure("note", () =>
      store.note(
        held.map((each) => noting(each, 2)),
        {},
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(held.map(() => "noted"));
    await store.settle(held.map(givenBack), {});
    const again = await measure("claim", () => claim(store, ["a"], 10));
    expect(again.map(({ memos, checkpoint }) => [memos?.length, checkpoint])).toEqual(again.map(() => [2, "1"]));
    await measure("list", () =>
      store.listNotes(
        { items: again.map(({ id: jobId }) => ({ jobId })), lines: 5, order: "descending", memos: "all" },
        {},
      ),
    );
    await measure("settle", () =>
      store.settle(
        again.map((each) => completed(each)),
        {},
      ),
    );
    await measure("forget", () => store.maintain(upkeep, {}));
    await measure("delete", () => store.remove({ chainIds: starts.map(({ id }) => id), cascade: false }, {}));
    return pages;
  };

  it("jobs that note nothing read no page of the tables of notes, from their start to their end (F6)", async () => {
    const { pages, measure } = measuring("^(memo|progress|log_line|spent_note)");
    for (let n = 0; n < 2; n += 1) {
      await measure("start", () => store.start([{ starts: jobs(10, "b") }], {}));
      const held = await measure("claim", () => claim(store, ["b"], 10));
      await measure("give back", () => store.settle(held.map(givenBack), {}));
      const again = await measure("claim again", () => claim(store, ["b"], 10));
      const [one, ...others] = again;
      if (one === undefined) throw new Error("ten are claimed");
      await measure("settle one", () => store.settle([completed(one)], {}));
      await measure("settle many", () =>
        store.settle(
          others.map((each) => completed(each)),
          {},
        ),
      );
    }
    expect(pages).toEqual({ start: 0, claim: 0, "give back": 0, "claim again": 0, "settle one": 0, "settle many": 0 });
  });

  it(`calls read no more pages beside the notes of ${manyNotes.toLocaleString("en")} jobs than beside half as many`, async () => {
    await play();
    const without = await play();
    await fill(0);
    await play();
    const half = await play();
    await fill(manyNotes / 2);
    await play();
    const beside = await play();
    const facts = JSON.stringify({ without, half, beside });
    if (manyNotes > 100_000) process.stdout.write(`${facts}\n`);
    for (const [what, pages] of Object.entries(beside)) {
      // A tree may become one level deeper.
      expect(pages, `${what}, twice as many: ${facts}`).toBeLessThanOrEqual((half[what] ?? 0) * 1.3 + 4);
      expect(pages, `${what}: ${facts}`).toBeLessThanOrEqual(2 * (without[what] ?? 0) + 8);
    }
  });
});
