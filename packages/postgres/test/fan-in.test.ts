import { findBackend } from "@chainwright/backends/vitest";
import { createClient } from "chainwright";
import type { ClaimedJob } from "chainwright/adapter";
import { Client, Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresNotifyAdapter, createPostgresStateAdapter } from "../src/index.ts";
import { joinTypes } from "./fan-in-jobs.ts";
import { claim, completed, job, jobs } from "./jobs.ts";
import { createPageMeter } from "./page-meter.ts";
import { startProgram } from "./program.ts";
import { scaled } from "./scale.ts";

const url = await findBackend("postgres");

const joins = scaled(60, 2_000);
const overlapping = scaled(12, 50);
const rounds = scaled(2, 20);

describe.skipIf(url === undefined)("jobs that wait for several chains", { timeout: 600_000 }, () => {
  const schema = `fan-in ${process.pid}`;
  const quoted = `"${schema}"`;
  let pool: Pool;
  let control: Client;

  beforeAll(async () => {
    pool = new Pool({ connectionString: url, max: 60 });
    control = new Client({ connectionString: url });
    await control.connect();
    await createPostgresStateAdapter({ driver: pg(pool), schema }).migrate();
    await control.query(`create table ${quoted}.effect (chain uuid, kind text, open_blockers integer)`);
  }, 30_000);

  afterAll(async () => {
    await pool.end();
    await control.query(`drop schema ${quoted} cascade`);
    await control.end();
  });

  /** The result of a join with this number: the sum of its own number and those of its six parts. */
  const part = (join: number, index: number) => join * 10 + index;
  const sum = (join: number) =>
    Array.from({ length: 6 }, (_, index) => part(join, index)).reduce((a, b) => a + b, join);

  it(`${joins} of them under the fire of forty slots in two processes: none is stuck, early, or run twice`, async () => {
    const channelPrefix = `fan_in_${process.pid}`;
    const driver = pg(pool);
    const client = createClient({
      stateAdapter: createPostgresStateAdapter({ driver, schema }),
      notifyAdapter: createPostgresNotifyAdapter({ driver, channelPrefix }),
      jobTypes: joinTypes,
    });
    const workers = await Promise.all(
      [0, 1].map(() => startProgram("fan-in-worker", url ?? "", schema, channelPrefix)),
    );
    const partOf = (join: number, index: number) =>
      index % 2 === 0
        ? ({ typeName: "value", input: part(join, index) } as const)
        : ({ typeName: "atomic", input: part(join, index) } as const);

    /** The workers process the first parts while the last ones are started. */
    const start = async (join: number) => {
      const early = await client.startChains({ items: [0, 1, 2].map((index) => partOf(join, index)) });
      const blockers = [...early, ...[3, 4, 5].map((index) => partOf(join, index))];
      return client.startChain({ typeName: "join", input: join, blockers });
    };
    const chains = [];
    for (let first = 0; first < joins; first += 50) {
      const batch = Array.from({ length: Math.min(50, joins - first) }, (_, index) => start(first + index));
      chains.push(...(await Promise.all(batch)));
    }
    const ended = await Promise.all(chains.map((chain) => client.awaitChain(chain, { timeoutMs: 500_000 })));
    expect(ended.map(({ output }) => output)).toEqual(chains.map((_, join) => sum(join)));

    const { rows } = await control.query(
      `select kind, count(*)::int as times, count(distinct chain)::int as chains, sum(open_blockers)::int as open
      from ${quoted}.effect group by kind order by kind`,
    );
    expect(rows).toEqual([
      { kind: "join", times: joins, chains: joins, open: 0 },
      { kind: "part", times: 3 * joins, chains: 3 * joins, open: 0 },
    ]);
    for (const worker of workers) {
      await worker.ask("stop");
      await worker.end();
    }
    await client.close();
  });

  it.each([2, 3, 8, overlapping])(
    "release the job of %i blockers that end in overlapping transactions",
    async (count) => {
      const store = createPostgresStateAdapter({ driver: pg(pool), schema });
      for (let round = 0; round < rounds; round += 1) {
        const [types, joinType] = [`blocker ${count} ${round}`, `join ${count} ${round}`];
        const blockers = jobs(count, types);
        await store.start([{ starts: blockers }], {});
        const join = job(joinType, { blockers: blockers.map(({ id }) => ({ chainId: id, typeName: types })) });
        await store.start([{ starts: [join] }], {});
        const held = await claim(store, [types], count);
        expect(held).toHaveLength(count);

        // All of them are open at the same time, and none waits for another.
        const all = Promise.withResolvers<void>();
        let settled = 0;
        const unblocked: string[] = [];
        const end = (each: ClaimedJob, rollsBack: boolean) =>
          store.transaction(async (tx) => {
            const [reply] = await store.settle([completed(each)], { tx });
            settled += 1;
            if (settled === count) all.resolve();
            await all.promise;
            if (rollsBack) throw new Error("rolls back");
            if (reply?.status === "settled") unblocked.push(...reply.unblocked.map(({ jobId }) => jobId));
          });
        const carryOn = async () => {
          const { released } = await store.exchange({ outcomes: [], claim: undefined }, {});
          unblocked.push(...released.unblocked.map(({ jobId }) => jobId));
        };
        const replies = await Promise.allSettled(held.map((each, index) => end(each, index % 3 === 1)));
        const undone = held.filter((_, index) => replies[index]?.status === "rejected");
        expect(undone).toHaveLength(Math.floor((count + 1) / 3));

        // Not before the last one, because those whose transactions were rolled back still have to end.
        await carryOn();
        expect(unblocked).toEqual([]);
        expect(await claim(store, [joinType], 2)).toEqual([]);
        await Promise.all(undone.map((each) => end(each, false)));
        await carryOn();
        expect(unblocked).toEqual([join.id]);
        const [joined, second] = await claim(store, [joinType], 2);
        expect(joined?.blockers.map(({ chainId }) => chainId)).toEqual(blockers.map(({ id }) => id));
        expect(second).toBeUndefined();
      }
    },
  );

  it("a release that waits for a few locked jobs reads no others that waited for the chain", async () => {
    const one = new Pool({ connectionString: url, max: 1 });
    const store = createPostgresStateAdapter({ driver: pg(one), schema });
    const [blocker] = jobs(1, "many wait");
    await store.start([{ starts: blocker === undefined ? [] : [blocker] }], {});
    const dependents = jobs(3_000, "waits", { blockers: [{ chainId: blocker?.id ?? "", typeName: "many wait" }] });
    await store.start([{ starts: dependents }], {});
    const locked = dependents
      .map(({ id }) => id)
      .toSorted()
      .filter((_, n) => n % 500 === 250);
    await control.query("begin");
    await control.query(`select from ${quoted}.open_job where job_id = any($1) for update`, [locked]);
    let outcomes = (await claim(store, ["many wait"], 1)).map((each) => completed(each));
    const released: string[] = [];
    const { pages, measure } = createPageMeter(one, schema)(["blocker"]);
    for (let calls = 0; calls < 12; calls += 1) {
      const reply = await measure("resume", () => store.exchange({ outcomes, claim: undefined }, {}));
      const settled = reply.settled.flatMap((each) => (each.status === "settled" ? each.unblocked : []));
      released.push(...[...settled, ...reply.released.unblocked].map(({ jobId }) => jobId));
      outcomes = [];
    }
    expect(released).toHaveLength(dependents.length - locked.length);
    expect(pages["resume"]).toBeLessThan(10 * locked.length);
    await control.query("rollback");
    const last = await store.exchange({ outcomes, claim: undefined }, {});
    released.push(...last.released.unblocked.map(({ jobId }) => jobId));
    expect(new Set(released)).toEqual(new Set(dependents.map(({ id }) => id)));
    await one.end();
  });
});
