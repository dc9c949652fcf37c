import { findBackend } from "@chainwright/backends/vitest";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { claimOf, completed, job } from "./jobs.ts";
import { scaled } from "./scale.ts";

const url = await findBackend("postgres");

const callers = 16;
const keys = scaled(30, 500);
const races = scaled(300, 2_000);

describe.skipIf(url === undefined)("deduplication between connections", { timeout: 600_000 }, () => {
  const schema = `deduplication ${process.pid}`;
  let pool: Pool;

  beforeAll(async () => {
    pool = new Pool({ connectionString: url, max: callers });
    await createPostgresStateAdapter({ driver: pg(pool), schema }).migrate();
  }, 30_000);

  afterAll(async () => {
    await pool.query(`drop schema "${schema}" cascade`);
    await pool.end();
  });

  it(`${callers} callers with ${keys} keys, a third of the winners rolling back, start one chain per key`, async () => {
    const store = createPostgresStateAdapter({ driver: pg(pool), schema });
    let [wins, undone] = [0, 0];

    /** Returns the chain that holds the key once this caller's transaction has committed. */
    const startOnce = async (key: string): Promise<string | undefined> => {
      let chainId: string | undefined;
      const start = job("once", { deduplication: { key, scope: "active", windowMs: undefined } });
      await store
        .transaction(async (tx) => {
          const [reply] = await store.start([{ starts: [start] }], { tx });
          const chain = reply?.ok === true ? reply.value[0] : undefined;
          if (chain?.deduplicated === false) {
            wins += 1;
            if (wins % 3 === 0) {
              undone += 1;
              throw new Error("rolls back");
            }
          }
          chainId = chain?.id;
        })
        .catch((error: unknown) => {
          if (!(error instanceof Error && error.message === "rolls back")) throw error;
        });
      return chainId;
    };

    const idsByCaller = await Promise.all(
      Array.from({ length: callers }, async () => {
        const own: string[] = [];
        for (let key = 0; key < keys; key += 1) {
          let id: string | undefined;
          while (id === undefined) id = await startOnce(`key ${key}`);
          own.push(id);
        }
        return own;
      }),
    );
    expect(wins - undone).toBe(keys);
    expect(undone).toBeGreaterThanOrEqual(Math.floor(keys / 3));
    expect(new Set(idsByCaller.map((own) => own.join())).size).toBe(1);
    const { rows } = await pool.query<{ id: string }>(`select id from "${schema}".job order by position`);
    expect(rows.map(({ id }) => id).toSorted()).toEqual(idsByCaller[0]?.toSorted());
  });

  it(`of ${races} races of a debounced start against the claim each ends in the chain before its claim or in a chain of its own`, async () => {
    const store = createPostgresStateAdapter({ driver: pg(pool), schema });
    const key = (n: number) => ({ key: `race ${n}`, scope: "debounce", quietMs: 1, maxWaitMs: 60_000 }) as const;
    const start = async (n: number, input: string, now: number) => {
      const one = job("raced", { input, deduplication: key(n) });
      const [reply] = await store.start([{ starts: [one] }], { now });
      return reply?.ok === true ? reply.value[0] : undefined;
    };
    let [into, own] = [0, 0];
    for (let from = 0; from < races; from += callers - 1) {
      const now = 1_000_000 + from * 100_000;
      const numbers = Array.from({ length: Math.min(callers - 1, races - from) }, (_, n) => from + n);
      const firsts = await Promise.all(numbers.map(async (n) => await start(n, "1", now)));
      const [{ claimed }, ...later] = await Promise.all([
        store.exchange({ outcomes: [], claim: claimOf(["raced"], 100) }, { now: now + 10 }),
        ...numbers.map(async (n) => await start(n, "2", now + 10)),
      ]);
      const rest = await store.exchange({ outcomes: [], claim: claimOf(["raced"], 100) }, { now: now + 20_000 });
      const ran = [...claimed, ...rest.claimed];
      for (const [index, first] of firsts.entries()) {
        const second = later[index];
        const inputs = ran.filter(({ id }) => id === first?.id || id === second?.id).map(({ input }) => input);
        if (second?.id === first?.id) into += 1;
        else own += 1;
        expect(inputs).toEqual(second?.id === first?.id ? ["2"] : ["1", "2"]);
      }
      await store.settle(
        ran.map((each) => completed(each)),
        { now: now + 20_000 },
      );
    }
    expect(into + own).toBe(races);
  });
});
