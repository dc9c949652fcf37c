import { findBackend } from "@chainwright/backends/vitest";
import { createClient, createProcessors, createWorker, defineJobTypes } from "chainwright";
import { recordEvents } from "chainwright/testing";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import postgres from "postgres";
import { pg } from "../src/drivers/pg.ts";
import { postgresJs } from "../src/drivers/postgres-js.ts";
import { createPostgresStateAdapter, type PostgresDriver } from "../src/index.ts";

const url = await findBackend("postgres");
const max = 3;
const attempts = 12;
const never = (): Promise<never> => new Promise(() => undefined);

interface Step {
  (callback: (scope: { readonly tx: unknown }) => Promise<unknown>): Promise<unknown>;
}

interface Steps {
  readonly staged: Step;
  readonly atomic: Step;
  readonly complete: Step;
  /** Resolves once the attempt has ended. */
  readonly ended: Promise<unknown>;
}

/** Mistakes of handlers that leave a transaction open, and how the handlers end. */
const mistakes: Readonly<Record<string, (steps: Steps) => Promise<unknown>>> = {
  "prepares when it is over": async ({ atomic, ended }) => {
    void ended.then(() => atomic(async () => 1)).catch(() => undefined);
    throw new Error("deadline");
  },
  "ends while it opens a transaction": async ({ atomic }) => {
    void atomic(async () => 1);
    throw new Error("deadline");
  },
  "returns while it opens a transaction": async ({ atomic }) => {
    void atomic(async () => 1);
    return "returned";
  },
  "ends while an atomic prepare runs": ({ atomic }) =>
    new Promise((_, reject) => void atomic(async () => (reject(new Error("deadline")), never()))),
  "ends while a staged prepare runs": ({ staged }) =>
    new Promise((_, reject) => void staged(async () => (reject(new Error("deadline")), never()))),
  "is stopped after an atomic prepare": async ({ atomic }) => (await atomic(async () => 1), never()),
  "is stopped in an atomic prepare": ({ atomic }) => atomic(never),
  "is stopped in a staged prepare": ({ staged }) => staged(never),
  "is stopped in a complete": ({ complete }) => complete(never),
  "is stopped in a complete after an atomic prepare": async ({ atomic, complete }) => {
    await atomic(async () => 1);
    return complete(never);
  },
};

interface Library {
  readonly driver: PostgresDriver;
  readonly isFree: () => boolean;
  readonly end: () => Promise<void>;
}

const libraries: Readonly<Record<string, (name: string) => Library>> = {
  pg: (name) => {
    const pool = new Pool({ connectionString: url, max, application_name: name });
    return {
      driver: pg(pool) as PostgresDriver,
      isFree: () => pool.waitingCount === 0 && pool.idleCount === pool.totalCount && pool.totalCount <= max,
      end: () => pool.end(),
    };
  },
  "postgres.js": (name) => {
    const sql = postgres(url ?? "", { max, connection: { application_name: name }, onnotice: () => undefined });
    return { driver: postgresJs(sql) as PostgresDriver, isFree: () => true, end: () => sql.end() };
  },
};

describe.skipIf(url === undefined).each(Object.entries(libraries))(
  "sessions on the server, with %s",
  (library, open) => {
    const jobTypes = defineJobTypes<{ work: { entry: true; input: number; output: unknown } }>();
    const schema = `sessions of ${library} ${process.pid}`;
    let control: Pool;

    beforeAll(async () => {
      control = new Pool({ connectionString: url, max: 1 });
      await createPostgresStateAdapter({ driver: pg(control), schema }).migrate();
    });

    afterAll(async () => {
      await control.query(`drop schema "${schema}" cascade`);
      await control.end();
    });

    const leftOpen = async (name: string): Promise<number> => {
      const { rows } = await control.query<{ count: string }>(
        "select count(*) from pg_stat_activity where application_name = $1 and state like 'idle in transaction%'",
        [name],
      );
      return Number(rows[0]?.count);
    };

    it.each(Object.entries(mistakes))("an attempt that %s leaves no open session behind", async (mistake, handle) => {
      const name = `${mistake} ${process.pid}`.slice(0, 60);
      const { driver, isFree, end } = open(name);
      const events = recordEvents();
      const stateAdapter = createPostgresStateAdapter({ driver, schema });
      const client = createClient({ stateAdapter, jobTypes, observers: [events.observer] });
      const ended = (jobId: string) => events.next("attempt-ended", (event) => event.jobId === jobId);
      const processors = createProcessors({
        client,
        jobTypes,
        processors: {
          work: {
            retry: { maxAttempts: 1 },
            timeoutMs: mistake.startsWith("is stopped") ? 50 : Infinity,
            handler: async ({ job, prepare, complete }) => {
              if (job.input === 0) return "fine";
              const result = await handle({
                staged: (callback) => prepare({ mode: "staged" }, callback),
                atomic: (callback) => prepare({ mode: "atomic" }, callback),
                complete,
                ended: ended(job.id),
              });
              // Only `complete` returns a value.
              return result;
            },
          },
        },
      });
      const worker = createWorker({ client, processors: [processors], concurrency: 5 });
      await worker.start();
      const items = Array.from({ length: attempts }, (_, index) => ({ typeName: "work", input: index + 1 }) as const);
      for (const { id } of await client.startChains({ items })) await ended(id);
      // There are more of them than connections. If each left one open, none would be left for this query.
      const after = await client.startChain({ typeName: "work", input: 0 });
      expect((await client.awaitChain(after, { timeoutMs: 10_000 })).output).toBe("fine");
      await worker.stop({ timeoutMs: 0 });
      await expect.poll(() => leftOpen(name)).toBe(0);
      await expect.poll(isFree).toBe(true);
      await client.close();
      await end();
    });
  },
);
