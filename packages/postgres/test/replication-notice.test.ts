import { startPostgresProxy, type PostgresProxy } from "@chainwright/backends/postgres-proxy";
import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import { Pool } from "pg";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hearNotices, postgresJs } from "../src/drivers/postgres-js.ts";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter, type PostgresDriver } from "../src/index.ts";
import { job } from "./jobs.ts";

const url = await findBackend("postgres");

/** The notice of a server before it reports a commit as successful without its standbys. The text depends on the server's language. */
const notReplicated = noticeOf({
  S: "WARNUNG",
  C: "01000",
  M: "Warten auf synchrone Replikation wird storniert wegen Benutzeraufforderung",
  R: "SyncRepWaitForLSN",
});
const anotherNotice = noticeOf({ S: "WARNING", C: "01000", M: "something else", R: "SomeOtherRoutine" });

function noticeOf(fields: Readonly<Record<string, string>>): Buffer {
  const body = Buffer.from(
    `${Object.entries(fields)
      .map(([key, value]) => `${key}${value}\0`)
      .join("")}\0`,
  );
  const head = Buffer.from("N\0\0\0\0");
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** A driver on one connection. */
interface Wired {
  readonly driver: PostgresDriver;
  end(): Promise<void>;
}

const openers: Readonly<Record<string, (at: string) => Wired>> = {
  pg: (at) => {
    const pool = new Pool({ connectionString: at, max: 1 });
    return { driver: pg(pool) as PostgresDriver, end: () => pool.end() };
  },
  "postgres.js": (at) => {
    const sql = postgres(at, { max: 1, onnotice: hearNotices() });
    return { driver: postgresJs(sql) as PostgresDriver, end: () => sql.end() };
  },
};

describe.skipIf(url === undefined).each(Object.keys(openers))(
  "commits that no standby has received, with %s",
  (name) => {
    const schema = `not replicated ${name} ${process.pid}`;
    let network: PostgresProxy;
    let wired: Wired;
    let store: StateAdapter;
    let next: Buffer | undefined;

    beforeAll(async () => {
      network = await startPostgresProxy(url ?? "", {
        fateOf: ({ kind }) => {
          if (kind !== "Z" || next === undefined) return "pass";
          const insert = next;
          next = undefined;
          return { insert };
        },
      });
      wired = openers[name]?.(network.url) ?? expect.unreachable();
      store = createPostgresStateAdapter({ driver: wired.driver, schema });
      await store.migrate();
    }, 30_000);

    afterAll(async () => {
      await wired.driver.query({ text: `drop schema "${schema}" cascade`, parameters: [], prepare: false }, undefined);
      await wired.end();
      await network.close();
    });

    const uncertain = { code: "store-unavailable", details: { outcome: "unknown" } };
    const startWith = async (notice: Buffer): Promise<unknown> => {
      await store.start([{ starts: [job("a")] }], {});
      next = notice;
      return store.start([{ starts: [job("a")] }], {});
    };
    const commitWith = (notice: Buffer): Promise<unknown> =>
      store.transaction(async (tx) => {
        await store.start([{ starts: [job("a")] }], { tx });
        next = notice;
      });

    it("are not acknowledged if they are calls by themselves", async () => {
      await expect(startWith(notReplicated)).rejects.toMatchObject(uncertain);
    });

    it("are not acknowledged if they are transactions", async () => {
      await expect(commitWith(notReplicated)).rejects.toMatchObject(uncertain);
    });

    it("do not affect later calls", async () => {
      await startWith(notReplicated).catch(() => undefined);
      await startWith(anotherNotice);
      await commitWith(notReplicated).catch(() => undefined);
      await commitWith(anotherNotice);
    });
  },
);

it("hearNotices passes every notice on", () => {
  const heard: unknown[] = [];
  const listener = hearNotices((notice) => heard.push(notice));
  listener({ code: "00000" });
  expect(heard).toEqual([{ code: "00000" }]);
});
