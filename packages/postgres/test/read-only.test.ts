import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import { Client, Pool } from "pg";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { postgresJs } from "../src/drivers/postgres-js.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { claim, job } from "./jobs.ts";

const url = await findBackend("postgres");
const size = 3;

/** A pool whose connections are on a server that accepts no writes any more, while new connections reach one that does. */
interface Demoted {
  readonly store: StateAdapter;
  /** Makes every connection of the pool read-only. */
  demote(): Promise<void>;
  end(): Promise<void>;
}

const readOnly = "set default_transaction_read_only = on";

const openers: Readonly<Record<string, (schema: string) => Demoted>> = {
  pg: (schema) => {
    const pool = new Pool({ connectionString: url, max: size });
    return {
      store: createPostgresStateAdapter({ driver: pg(pool), schema }) as StateAdapter,
      demote: async () => {
        const clients = await Promise.all(Array.from({ length: size }, () => pool.connect()));
        for (const client of clients) await client.query(readOnly);
        for (const client of clients) client.release();
      },
      end: () => pool.end(),
    };
  },
  "postgres.js": (schema) => {
    const sql = postgres(url ?? "", { max: size, onnotice: () => {} });
    return {
      store: createPostgresStateAdapter({ driver: postgresJs(sql), schema }) as StateAdapter,
      demote: async () => {
        const reserved = await Promise.all(Array.from({ length: size }, () => sql.reserve()));
        for (const each of reserved) await each.unsafe(readOnly);
        for (const each of reserved) each.release();
      },
      end: () => sql.end(),
    };
  },
};

describe.skipIf(url === undefined).each(Object.keys(openers))(
  "after a failover that leaves connections, %s",
  (name) => {
    const schema = `read only ${name} ${process.pid}`;
    let demoted: Demoted;

    beforeAll(async () => {
      demoted = openers[name]?.(schema) ?? expect.unreachable();
      await demoted.store.migrate();
    }, 30_000);

    afterAll(async () => {
      await demoted.end();
      const control = new Client({ connectionString: url });
      await control.connect();
      await control.query(`drop schema "${schema}" cascade`);
      await control.end();
    });

    const calls: Readonly<Record<string, (store: StateAdapter) => Promise<unknown>>> = {
      // First, while there is no row to lock.
      "a claim that finds nothing": (store) => claim(store, ["nothing"], 1),
      "a start": (store) => store.start([{ starts: [job("a")] }], {}),
      "a transaction": (store) => store.transaction((tx) => store.start([{ starts: [job("a")] }], { tx })),
    };

    it.each(Object.entries(calls))(
      "%s fails, and the connection it failed on is not used again",
      async (what, call) => {
        await demoted.demote();
        const failures: unknown[] = [];
        // Each failure drops one connection, so the call succeeds once all of them are dropped. postgres.js reports the connection only
        // once the statement is prepared on it.
        const most = name === "pg" ? size : 2 * size;
        const run = async (): Promise<string> => {
          try {
            await call(demoted.store);
            return "writes";
          } catch (error) {
            failures.push(error);
            return "fails";
          }
        };
        await expect.poll(run, { interval: 10, timeout: 10_000 }).toBe("writes");
        expect(failures.length).toBeGreaterThan(0);
        expect(failures.length).toBeLessThanOrEqual(most);
        // Inside a transaction the errors of the store are passed to the caller.
        const code = what === "a transaction" ? "25006" : "store-unavailable";
        expect(failures).toMatchObject(failures.map(() => ({ code })));
        await call(demoted.store);
      },
    );
  },
);
