import { randomUUID } from "node:crypto";
import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import type { ClaimedJob, Outcome } from "chainwright/adapter";
import { Pool, type PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { claim, completed, job } from "./jobs.ts";

const url = await findBackend("postgres");

type Ends = (store: StateAdapter<PoolClient>, held: ClaimedJob, tx: PoolClient) => Promise<unknown>;

const step = (chainId: string): Outcome => ({
  target: { chainId, typeName: "blocker" },
  kind: "completed",
  output: "1",
});

const ends: readonly [string, string, Ends][] = [
  ["a completion from outside", "ready", (store, { chainId }, tx) => store.settle([step(chainId)], { tx })],
  ["a cancellation", "failed", (store, { chainId }, tx) => store.cancel([{ chainId, reason: undefined }], { tx })],
  ["an outcome of a worker's", "ready", (store, held, tx) => store.settle([completed(held)], { tx })],
  [
    "two outcomes of a worker's",
    "ready",
    (store, held, tx) => store.settle([completed(held), completed({ ...held, id: randomUUID() })], { tx }),
  ],
];

describe.skipIf(url === undefined).each(["repeatable read", "serializable"])(
  "a chain that ends in an application's transaction at %s",
  (level) => {
    const schema = `isolation ${level} ${process.pid}`;
    let pool: Pool;
    let store: StateAdapter<PoolClient>;

    beforeAll(async () => {
      pool = new Pool({ connectionString: url, max: 4 });
      store = createPostgresStateAdapter({ driver: pg(pool), schema });
      await store.migrate();
    });
    afterAll(async () => {
      await pool.query(`drop schema "${schema}" cascade`);
      await pool.end();
    });

    it.each([0, 1].flatMap((before) => ends.map(([name, status, end]) => ({ before, name, status, end }))))(
      "releases a job that began to wait meanwhile, and $before that waited before: $name",
      async ({ before, status, end }) => {
        const blocker = job("blocker");
        await store.start([{ starts: [blocker] }], {});
        const waiting = () => job("dependent", { blockers: [{ chainId: blocker.id, typeName: "blocker" }] });
        const [early, late] = [Array.from({ length: before }, waiting), waiting()];
        await store.start([{ starts: early }], {});
        const [held] = await claim(store, ["blocker"], 1);
        if (held === undefined) throw new Error("it was to be claimed");
        const tx = await pool.connect();
        await tx.query(`begin isolation level ${level}`);
        await tx.query(`select count(*) from "${schema}".job`);
        await store.start([{ starts: [late] }], {});
        await end(store, held, tx);
        await tx.query("commit");
        tx.release();
        // The next exchanges of any process resume the release that it left.
        for (let times = 0; times < 3; times += 1) await store.exchange({ outcomes: [], claim: undefined }, {});
        const waited = [...early, late];
        const jobs = await store.getJobs(
          waited.map(({ id }) => id),
          {},
        );
        expect(jobs.map((each) => each?.status)).toEqual(waited.map(() => status));
      },
    );
  },
);
