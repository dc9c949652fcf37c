import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import type { ClaimedJob, JobStart, JobWait, SentSignal } from "chainwright/adapter";
import { Pool, type PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { claimOf, completed, job, jobs, workerId } from "./jobs.ts";
import { scaled } from "./scale.ts";
import { brokenSignalRules } from "./signal-rules.ts";

const url = await findBackend("postgres");

/** Races run in groups of this many, at the same time. */
const [races, group] = [scaled(200, 2_000), 50];

const sent = (): SentSignal => ({
  typeName: "w",
  signal: "go",
  payload: "{}",
  signalId: randomUUID(),
  context: undefined,
});
const waits = (wait: JobWait): JobStart => job("w", { waits: wait });
const pause = () => delay(Math.random() * 8);

describe.skipIf(url === undefined)("signals that race with what they wake", { timeout: 300_000 }, () => {
  const schema = `signal stress ${process.pid}`;
  const s = `"${schema}"`;
  let pool: Pool;
  let store: StateAdapter<PoolClient>;

  beforeAll(async () => {
    pool = new Pool({ connectionString: url, max: 12 });
    store = createPostgresStateAdapter({ driver: pg(pool), schema });
    await store.migrate();
  });

  afterAll(async () => {
    await pool.query(`drop schema ${s} cascade`);
    await pool.end();
  });

  const insisting = async <T>(call: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!store.isConflict(error)) throw error;
      }
    }
  };

  const runningJobs = async (): Promise<readonly ClaimedJob[]> => {
    await store.start([{ starts: jobs(group, "a") }], {});
    return (await store.exchange({ outcomes: [], claim: claimOf(["a"], group) }, {})).claimed;
  };

  const waitAfter = async ({ id: jobId, fence }: ClaimedJob, wait: JobWait) => {
    const [reply] = await insisting(() =>
      store.settle([{ target: { jobId, workerId, fence }, kind: "continued", next: waits(wait) }], {}),
    );
    expect(reply?.status).toBe("settled");
  };

  /** Claims and completes what is ready until so many chains have ended, or nothing more is ready. */
  const handling = async (count: number): Promise<ReadonlyMap<string, ClaimedJob>> => {
    const handled = new Map<string, ClaimedJob>();
    for (let idle = 0; handled.size < count && idle < 200;) {
      const { claimed } = await insisting(() => store.exchange({ outcomes: [], claim: claimOf(["w"], 20) }, {}));
      for (const each of claimed) {
        expect(handled.has(each.chainId), "handled twice").toBe(false);
        handled.set(each.chainId, each);
      }
      if (claimed.length > 0)
        await insisting(() =>
          store.settle(
            claimed.map((each) => completed(each)),
            {},
          ),
        );
      idle = claimed.length > 0 ? 0 : idle + 1;
      if (claimed.length === 0) await delay(5);
    }
    return handled;
  };

  /** Sends a signal unless the chain has ended. Returns whether it was accepted. */
  const signal = async (chainId: string): Promise<boolean> => {
    const reply = await insisting(() => store.signal([{ chainId, ...sent() }], {}));
    if (!reply.ok) expect(reply.refusal.code).toBe("chain-not-active");
    return reply.ok;
  };

  /** The same in a transaction that stays open for a while. */
  const signalForLong = async (chainId: string): Promise<boolean> => {
    await insisting(() =>
      store.transaction(async (tx) => {
        await store.signal([{ chainId, ...sent() }], { tx });
        await pause();
      }),
    );
    return true;
  };

  it("a signal and the beginning of its wait: each wait is woken once, by its signal", async () => {
    for (let round = 0; round < races / group; round += 1) {
      const running = await runningJobs();
      const isLong = round % 4 === 0;
      const [handled] = await Promise.all([
        handling(group),
        ...running.flatMap((each) => [
          pause().then(() => waitAfter(each, { until: undefined })),
          pause().then(() => (isLong ? signalForLong(each.chainId) : signal(each.chainId))),
        ]),
      ]);
      expect(handled.size).toBe(group);
      expect([...handled.values()].filter(({ received }) => received?.length !== 1)).toEqual([]);
    }
    expect(await brokenSignalRules(pool, s, [])).toEqual([]);
  });

  it("a signal and the end of the time: each wait ends once, with the signal or without it, and then the signal stays", async () => {
    let [signalled, late] = [0, 0];
    for (let round = 0; round < races / group; round += 1) {
      const running = await runningJobs();
      const accepted = new Map<string, boolean>();
      const [handled] = await Promise.all([
        handling(group),
        ...running.map(async (each) => {
          await waitAfter(each, { until: { afterMs: 1 + Math.round(Math.random() * 20) } });
          await delay(Math.random() * 40);
          accepted.set(each.chainId, await signal(each.chainId));
        }),
      ]);
      expect(handled.size).toBe(group);
      for (const { chainId, received = [] } of handled.values()) {
        const records = await store.listSignals({ chainId, after: undefined, limit: 10 }, {});
        expect(records).toHaveLength(accepted.get(chainId) === true ? 1 : 0);
        expect(records.filter(({ takenBy }) => takenBy !== undefined)).toHaveLength(received.length);
        if (received.length > 0) signalled += 1;
        else late += 1;
      }
    }
    expect(Math.min(signalled, late), `${signalled} signalled, ${late} late`).toBeGreaterThan(races / 20);
    expect(await brokenSignalRules(pool, s, [])).toEqual([]);
  });

  it("a publication and the beginning of waits: each job that waits gets it once", async () => {
    for (let round = 0; round < races / group; round += 1) {
      const running = await runningJobs();
      const topic = `topic ${round}`;
      const [handled] = await Promise.all([
        handling(group),
        ...running.map((each) => pause().then(() => waitAfter(each, { until: undefined, topics: [topic, "other"] }))),
        pause().then(() =>
          insisting(() => store.signal([{ topic, keepMs: 60_000, ...sent(), signalId: `published ${round}` }], {})),
        ),
      ]);
      expect(handled.size).toBe(group);
      expect([...handled.values()].filter(({ received }) => received?.length !== 1)).toEqual([]);
    }
    expect(await brokenSignalRules(pool, s, [])).toEqual([]);
  });
});
