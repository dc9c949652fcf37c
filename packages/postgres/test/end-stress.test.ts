import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import type { StoppedInput } from "chainwright/adapter";
import { Pool, type PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { endRules } from "./ends/end-rules.ts";
import { fence, undo } from "./ends/worlds.ts";
import { claimOf, completed, job } from "./jobs.ts";
import { atRest, brokenRules } from "./overlaps/store-rules.ts";
import { scaled } from "./scale.ts";

const url = await findBackend("postgres");
const count = scaled(400, 2_000);
const atOnce = 20;

/** Each chain is cancelled while its attempt records what undoes it, does it, and hands in. */
describe.skipIf(url === undefined)("cancelling a chain while its charge is in flight", { timeout: 120_000 }, () => {
  const schema = `end stress ${process.pid}`;
  let pool: Pool;
  let store: StateAdapter<PoolClient>;

  beforeAll(async () => {
    pool = new Pool({ connectionString: url, max: atOnce });
    store = createPostgresStateAdapter({ driver: pg(pool), schema });
    await store.migrate();
  });

  afterAll(async () => {
    await pool.query(`drop schema "${schema}" cascade`);
    await pool.end();
  });

  it("undoes each charge on record once unless its chain completed, and nothing before the attempt is over", async () => {
    const charged = new Set<string>();
    const over = new Set<string>();
    const early: string[] = [];
    const undone: string[] = [];
    const types = ["undo", "apologise"];
    const sweep = async () => {
      const { claimed } = await store.exchange({ outcomes: [], claim: claimOf(types, 50) }, {});
      for (const { typeName, input } of claimed) {
        const id = typeName === "undo" ? String(JSON.parse(input)) : (JSON.parse(input) as StoppedInput).chain.id;
        if (!over.has(id)) early.push(id);
        if (typeName === "undo") undone.push(id);
      }
      await store.settle(
        claimed.map((each) => completed(each)),
        {},
      );
      return claimed.length;
    };
    const race = async (n: number) => {
      const start = job(`charge ${n % atOnce}`, { whenStopped: { typeName: "apologise", priority: 0 } });
      await store.start([{ starts: [start] }], {});
      const { claimed } = await store.exchange({ outcomes: [], claim: claimOf([start.typeName], 1) }, {});
      const [held] = claimed;
      if (held === undefined) throw new Error("nothing was claimed");
      const attempt = async () => {
        const [reply] = await store.compensate([{ target: fence(held), compensation: undo(start.id) }], {});
        if (reply === "recorded") charged.add(start.id);
        over.add(start.id);
        await store.settle([n % 3 === 0 ? { target: fence(held), kind: "failed", errors: "[]" } : completed(held)], {});
      };
      const cancel = async () => {
        if (n % 4 > 0) await new Promise((resolve) => setImmediate(resolve));
        await store.cancel([{ chainId: start.id, reason: "r", blockers: "cancel" }], {});
      };
      await Promise.all(n % 2 === 0 ? [attempt(), cancel()] : [cancel(), attempt()]);
      if (n % 7 === 0) await sweep();
      return start.id;
    };
    const ids: string[] = [];
    for (let n = 0; n < count; n += atOnce) {
      ids.push(...(await Promise.all(Array.from({ length: atOnce }, (_, at) => race(n + at)))));
    }
    for (let left = 1; left > 0;) left = await sweep();
    expect(early).toEqual([]);
    expect(await brokenRules(pool, schema)).toEqual([]);
    expect(await brokenRules(pool, schema, { ...atRest, ...endRules })).toEqual([]);
    const stopped = (await store.getChains(ids, {})).filter((chain) => chain?.status !== "completed");
    const due = stopped.flatMap((chain) => (chain !== undefined && charged.has(chain.id) ? chain.id : []));
    expect(undone.toSorted()).toEqual(due.toSorted());
    expect(stopped.map((chain) => chain?.followUps?.map(({ status }) => status).at(-1))).toEqual(
      stopped.map(() => "completed"),
    );
    expect(due.length).toBeGreaterThan(count / 20);
  });
});
