import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createClient,
  createProcessors,
  createWorker,
  defineJobTypes,
  FatalError,
  type StateAdapter,
} from "chainwright";
import { findBackend } from "@chainwright/backends/vitest";
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { nodeSqlite } from "@chainwright/sqlite/node-sqlite";
import { Pool } from "pg";
import { describe, expect, it } from "vitest";
import { createDashboard } from "../src/create-dashboard.ts";

interface Types {
  readonly "file.keep": { entry: true; input: { text: string; fails: boolean }; output: { text: string } };
}

const jobTypes = defineJobTypes<Types>();
const payloadBytes = 1_048_576;
/** A hundred rows in pages of fifty: some wait, some have a large output too, some have failed. */
const waiting = 40;
const ended = 40;
const failing = 20;
const lists = ["-/chains", "-/chains?status=active", "-/chains?step=ready", "-/chains?status=completed", "-/overview"];
const failures = ["-/chains?status=failed", "-/failed"];

const postgresUrl = await findBackend("postgres");

/** A hundred rows with payloads of a mebibyte must not cost a hundred mebibytes. */
describe("lists do not read payloads", { timeout: 240_000 }, () => {
  it("on SQLite: no pages of payloads", async () => {
    const folder = mkdtempSync(join(tmpdir(), "chainwright-dashboard-payloads-"));
    const file = join(folder, "jobs.db");
    const open = () => createSqliteStateAdapter({ driver: nodeSqlite(file), durability: "off" });
    await fill(open(), { isClosed: true, largeFailures: false });
    for (const path of [...lists, ...failures]) {
      const { stateAdapter, dashboard } = dashboardOn(open());
      // The first statement opens the file.
      await stateAdapter.count({});
      const before = bytesReadByThread();
      const bytes = (await readAll(dashboard, path)).length;
      expect({ path, isSmall: bytesReadByThread() - before < 3 * payloadBytes }).toEqual({ path, isSmall: true });
      expect(bytes).toBeLessThan(payloadBytes / 4);
      await stateAdapter.close();
    }
    rmSync(folder, { recursive: true });
  });

  it.skipIf(postgresUrl === undefined)("on Postgres: no page of TOAST", async () => {
    const pool = new Pool({ connectionString: postgresUrl, max: 1 });
    const schema = `dashboard payloads ${process.pid}`;
    const stateAdapter = createPostgresStateAdapter({ driver: pg(pool), schema });
    await fill(stateAdapter, { isClosed: false, largeFailures: true });
    const { dashboard } = dashboardOn(stateAdapter);
    for (const path of [...lists, ...failures]) {
      const before = await toastReads(pool, schema);
      const bytes = (await readAll(dashboard, path)).length;
      expect({ path, read: (await toastReads(pool, schema)) - before }).toEqual({ path, read: 0 });
      expect(bytes).toBeLessThan(payloadBytes / 4);
    }
    await stateAdapter.close();
    await pool.query(`drop schema "${schema}" cascade`);
    await pool.end();
  });
});

interface Filling {
  readonly isClosed: boolean;
  /** On SQLite the errors of a job are behind its input in the row, so the pages of the input are read with them. */
  readonly largeFailures: boolean;
}

async function fill(stateAdapter: StateAdapter, { isClosed, largeFailures }: Filling): Promise<void> {
  await stateAdapter.migrate();
  const client = createClient({ stateAdapter, jobTypes, observers: [], maxPayloadBytes: 2 * payloadBytes });
  // Incompressible: a text that shrinks would stay in the row.
  const large = () =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)))
      .toString("base64")
      .repeat(12);
  const start = async (fails: boolean) =>
    await client.startChain({
      typeName: "file.keep",
      input: { text: fails && !largeFailures ? "small" : large(), fails },
    });
  const chains: { readonly id: string }[] = [];
  for (let at = 0; at < ended + failing; at += 1) chains.push(await start(at >= ended));
  const processor = createProcessors({
    client,
    jobTypes,
    processors: {
      "file.keep": async ({ job }) => {
        if (job.input.fails) throw new FatalError("the disk is full");
        return { text: job.input.text };
      },
    },
  });
  const worker = createWorker({ client, processors: [processor], concurrency: 4 });
  await worker.start();
  await Promise.allSettled(chains.map(async ({ id }) => await client.awaitChain({ id }, { timeoutMs: 120_000 })));
  await worker.stop();
  for (let at = 0; at < waiting; at += 1) await start(false);
  if (isClosed) {
    await client.close();
    await stateAdapter.close();
  }
}

function dashboardOn(stateAdapter: StateAdapter) {
  const client = createClient({ stateAdapter, jobTypes, observers: [] });
  return { stateAdapter, dashboard: createDashboard({ client, authorize: () => ({ role: "viewer" }) }) };
}

/** All pages of a list. */
async function readAll(dashboard: ReturnType<typeof createDashboard>, path: string): Promise<string> {
  let all = "";
  let cursor: string | undefined;
  do {
    const next = cursor === undefined ? "" : `${path.includes("?") ? "&" : "?"}cursor=${cursor}`;
    const response = await dashboard.fetch(new Request(`http://localhost/${path}${next}`));
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
    const body = await response.text();
    all += body;
    ({ nextCursor: cursor } = JSON.parse(body) as { readonly nextCursor?: string });
  } while (cursor !== undefined);
  return all;
}

/** SQLite reads in the thread that asks. */
function bytesReadByThread(): number {
  return Number(/rchar: (\d+)/.exec(readFileSync("/proc/thread-self/io", "utf8"))?.[1]);
}

async function toastReads(pool: Pool, schema: string): Promise<number> {
  await pool.query("select pg_stat_force_next_flush()");
  await pool.query("select pg_stat_clear_snapshot()");
  const { rows } = await pool.query<{ read: string }>(
    `select coalesce(toast_blks_read, 0) + coalesce(toast_blks_hit, 0) as read from pg_statio_user_tables
     where schemaname = $1 and relname = 'job'`,
    [schema],
  );
  return Number(rows[0]?.read);
}
