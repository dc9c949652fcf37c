import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import type { ClaimedJob } from "chainwright/adapter";
import type { Pool, PoolClient } from "pg";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { completed } from "./jobs.ts";
import { claimLimited, declare, limits, places, startLimited } from "./limit-stores.ts";
import type { Gates } from "./overlaps/gates.ts";
import { openRaceStore } from "./overlaps/race-store.ts";

const url = await findBackend("postgres");
const tables = ["job", "open_job", "deduplication", "parked", "kept", "lane", "place", "token", "gate_event"];

describe.skipIf(url === undefined)("claims from the inbox beside others", { timeout: 120_000 }, () => {
  const schema = `inbox races ${process.pid}`;
  let pool: Pool;
  let gates: Gates;
  let stopped: StateAdapter<PoolClient>;
  let other: StateAdapter<PoolClient>;

  const opened = openRaceStore(url, schema);
  beforeAll(() => {
    ({ pool, gates, stopped, other } = opened());
  });

  const emptied = async () => {
    await opened().empty(tables);
  };
  beforeEach(emptied);

  it.each([
    ["one job", 1],
    ["several", 2],
  ])(
    "C6: the jobs of a key that has one at a time begin in their order, whatever claims during one of %s",
    async (_, limit) => {
      for (const isKnown of [false, true]) {
        const prepare = async () => {
          await emptied();
          const own = createPostgresStateAdapter({ driver: pg(pool), schema });
          await declare(own, { tenant: places(1) });
          const now = Date.now() - 10_000;
          const under = limits(["tenant", "acme"]);
          if (isKnown) {
            await startLimited(own, 1, under, { now });
            const [held] = await claimLimited(own, 1, { now });
            await own.settle(held === undefined ? [] : [completed(held)], { now });
          }
          return { own, now, ids: await startLimited(own, 4, under, { now: now + 1 }) };
        };
        const first = await prepare();
        const visited = await gates.visited(async () => {
          expect(await claimLimited(stopped, limit, { now: first.now + 2 })).toHaveLength(1);
        });
        for (const gate of visited) {
          const { own, now, ids } = await prepare();
          const begun: string[] = [];
          const held: ClaimedJob[] = [];
          const look = async (store: StateAdapter<PoolClient>, afterMs: number) => {
            const claimed = await claimLimited(store, store === stopped ? limit : 10, { now: now + afterMs });
            begun.push(...claimed.map(({ id }) => id));
            held.push(...claimed);
          };
          await gates.overlap(() => look(stopped, 2), [{ gate, during: () => look(own, 2) }]);
          expect(held.length, gate).toBeLessThanOrEqual(1);
          for (let afterMs = 3; begun.length < ids.length && afterMs < 6_000; afterMs += 500) {
            await own.settle(
              held.splice(0).map((each) => completed(each)),
              { now: now + afterMs },
            );
            await look(own, afterMs);
          }
          expect(begun, gate).toEqual(ids);
        }
      }
    },
  );

  it.each([1, 5])(
    "C6: jobs of a key of %d begin in their order, at whichever moment of a claim they are started",
    async (concurrency) => {
      const prepare = async () => {
        await emptied();
        const own = createPostgresStateAdapter({ driver: pg(pool), schema });
        await declare(own, { tenant: places(concurrency) });
        const now = Date.now() - 10_000;
        const begun: string[] = [];
        const look = async (store: StateAdapter<PoolClient>, afterMs: number) => {
          const claimed = await claimLimited(store, 1, { now: now + afterMs });
          begun.push(...claimed.map(({ id }) => id));
          return claimed;
        };
        return { own, now, begun, look };
      };
      const { look: first } = await prepare();
      const visited = await gates.visited(async () => void (await first(stopped, 10)));
      for (const gate of visited) {
        const { own, now, begun, look } = await prepare();
        const ids: string[] = [];
        const start = async () => void ids.push(...(await startLimited(own, 3, limits(["tenant", "acme"]), { now })));
        await gates.overlap(async () => void (await look(stopped, 10)), [{ gate, during: start }]);
        for (let afterMs = 200; begun.length < ids.length && afterMs < 3_000; afterMs += 200) {
          const claimed = await look(own, afterMs);
          await own.settle(
            claimed.map((each) => completed(each)),
            { now: now + afterMs },
          );
        }
        // A job that the stopped claim has begun still runs.
        expect(begun, gate).toEqual(ids.slice(0, concurrency === 1 ? begun.length : 3));
      }
    },
  );

  it.each([1, 100])(
    "C8: jobs of a key behind one that a transaction has locked keep no other key from claims of %d",
    async (limit) => {
      await declare(other, { tenant: places(1) });
      const now = Date.now() - 10_000;
      const [locked] = await startLimited(other, 1_200, limits(["tenant", "acme"]), { now });
      const [free] = await startLimited(other, 2, limits(["tenant", "bee"]), { now: now + 1 });
      const took: string[] = [];
      const look = async (afterMs: number) =>
        void took.push(...(await claimLimited(other, limit, { now: now + afterMs })).map(({ id }) => id));
      // The first job of the key is due, or in the inbox.
      const undo = new Error("undo");
      const ended = other.transaction(async (tx) => {
        await other.cancel([{ chainId: locked ?? "", reason: undefined }], { tx });
        for (let afterMs = 100; afterMs < 1_500; afterMs += 100) await look(afterMs);
        expect(took).toContain(free);
        await look(2_500);
        throw undo;
      });
      await expect(ended).rejects.toBe(undo);
      // One of the others: nothing keeps them waiting for as long as the transaction takes.
      expect(took.length).toBe(2);
      expect(took).not.toContain(locked);
    },
  );
});
