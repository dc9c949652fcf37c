import type { Server } from "@chainwright/backends";
import { hasPgBouncer, startPgBouncer } from "@chainwright/backends/pgbouncer";
import { findBackend } from "@chainwright/backends/vitest";
import {
  createClient,
  createInProcessNotifyAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
} from "chainwright";
import { Pool } from "pg";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { postgresJs } from "../src/drivers/postgres-js.ts";
import { createPostgresStateAdapter, type PostgresDriver } from "../src/index.ts";
import { claim, completed, job } from "./jobs.ts";

const url = await findBackend("postgres");

interface Opened<Tx> {
  readonly driver: PostgresDriver<Tx>;
  execute(tx: Tx, text: string): Promise<unknown>;
  end(): Promise<void>;
}

const openPg = (pooled: string, prepare: boolean) => {
  const pool = new Pool({ connectionString: pooled, max: 8 });
  const driver = pg(pool, { prepare });
  return { driver, execute: (tx, text) => tx.query(text), end: () => pool.end() } satisfies Opened<
    Parameters<Parameters<typeof driver.transaction>[0]>[0]
  >;
};

/** With prepared statements postgres.js matches replies to the wrong statements here, with any user of it. */
const openPostgresJs = (pooled: string) => {
  const sql = postgres(pooled, { max: 8, prepare: false, fetch_types: false, onnotice: () => {} });
  const driver = postgresJs(sql);
  const end = () => sql.end();
  return { driver, execute: async (tx, text) => tx.unsafe(text), end } satisfies Opened<
    Parameters<Parameters<typeof driver.transaction>[0]>[0]
  >;
};

/** Eight connections of the application share two connections of the server, each with its own prepared statements. */
describe.skipIf(url === undefined || !hasPgBouncer())(
  "behind PgBouncer in transaction mode",
  { timeout: 60_000 },
  () => {
    let bouncer: Server;

    beforeAll(async () => {
      bouncer = await startPgBouncer(url ?? "", "transaction", 2);
    }, 30_000);

    afterAll(() => bouncer.stop());

    describe("pg", () => {
      suite(() => openPg(bouncer.url, false), { name: "pg unprepared", isUnprepared: true });
    });
    describe("pg, with the options for a direct connection", () => {
      suite(() => openPg(bouncer.url, true), { name: "pg prepared", isUnprepared: false });
    });
    describe("postgres.js", () => {
      suite(() => openPostgresJs(bouncer.url), { name: "postgres.js", isUnprepared: true });
    });
  },
);

const jobTypes = defineJobTypes<{
  value: { entry: true; input: number; output: number };
  atomic: { entry: true; input: number; output: number };
}>();

function suite<Tx>(open: () => Opened<Tx>, { name, isUnprepared }: { name: string; isUnprepared: boolean }): void {
  const schema = `${name} ${process.pid}`;
  let direct: Pool;
  let opened: Opened<Tx>;

  beforeAll(async () => {
    direct = new Pool({ connectionString: url, max: 1 });
    opened = open();
    await createPostgresStateAdapter({ driver: opened.driver, schema }).migrate();
    await direct.query(`create table "${schema}".effect (n integer)`);
  }, 30_000);

  afterEach(async () => {
    await direct.query(`truncate "${schema}".effect`);
  });

  afterAll(async () => {
    await opened.end();
    await direct.query(`drop schema "${schema}" cascade`);
    await direct.end();
  });

  it("calls work on any connection of the server", async () => {
    const store = createPostgresStateAdapter({ driver: opened.driver, schema });
    const roundTrip = async (typeName: string) => {
      const start = job(typeName);
      await store.start([{ starts: [start] }], {});
      const [held] = await claim(store, [typeName], 1);
      await store.settle(held === undefined ? [] : [completed(held)], {});
      return (await store.getChains([start.id], {}))[0]?.status;
    };
    const ends = await Promise.all(Array.from({ length: 100 }, (_, index) => roundTrip(`a${index % 40}-${index}`)));
    expect(new Set(ends)).toEqual(new Set(["completed"]));
  });

  it("a worker's transactions take effect once", async () => {
    const stateAdapter = createPostgresStateAdapter({ driver: opened.driver, schema });
    const attempts: number[] = [];
    const client = createClient({ stateAdapter, notifyAdapter: createInProcessNotifyAdapter(), jobTypes });
    const processors = createProcessors({
      client,
      jobTypes,
      processors: {
        value: async ({ job: { input } }) => input,
        atomic: {
          retry: { maxAttempts: 10, backoff: { initialMs: 0, multiplier: 1, maxMs: 0, jitter: 0 } },
          handler: async ({ job: { input, attempt }, complete }) => {
            attempts.push(attempt);
            return complete(async ({ tx }) => {
              await opened.execute(tx, `insert into "${schema}".effect values (${input})`);
              return input;
            });
          },
        },
      },
    });
    const worker = createWorker({ client, processors: [processors], concurrency: 6 });
    await worker.start();
    const items = Array.from({ length: 60 }, (_, input) => {
      return { typeName: input % 2 === 0 ? ("value" as const) : ("atomic" as const), input };
    });
    const chains = await Promise.all(items.map((item) => client.startChain(item)));
    await Promise.all(chains.map((chain) => client.awaitChain(chain, { timeoutMs: 50_000 })));
    await worker.stop();
    await client.close();
    const { rows } = await direct.query<{ n: number }>(`select n from "${schema}".effect order by n`);
    expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 30 }, (_, index) => 2 * index + 1));
    // Each failure was a missing prepared statement. After that nothing is prepared any more.
    expect(attempts.filter((attempt) => attempt > 1).length).toBeLessThanOrEqual(isUnprepared ? 0 : 10);
  });
}
