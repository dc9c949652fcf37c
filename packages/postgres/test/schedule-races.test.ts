import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import type { TickItem } from "chainwright/adapter";
import { Client, Pool, type PoolClient } from "pg";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import type { Gates } from "./overlaps/gates.ts";
import { openRaceStore } from "./overlaps/race-store.ts";
import { job } from "./jobs.ts";
import { create, gapOf, itemOf, said, scheduleOf, settings } from "./ticking.ts";
import { openWire } from "./wire.ts";

const url = await findBackend("postgres");
const day = 86_400_000;
const tables = ["schedule", "tick", "job", "open_job", "deduplication", "tally_change"];

/** Each race is run once for each statement of the call that is stopped. */
describe.skipIf(url === undefined)("schedules that several sessions change", { timeout: 120_000 }, () => {
  const schema = `schedule races ${process.pid}`;
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
    await create(other, ["s"], 1_000);
  };
  beforeEach(emptied);

  const chainsByInstant = async (): Promise<Readonly<Record<string, number>>> => {
    const ticks = await other.listTicks({ scheduleIds: ["s"], before: undefined, limit: 100 }, {});
    const chains = await other.getChains(
      ticks.flatMap(({ chainId }) => chainId ?? []),
      {},
    );
    expect(chains.every((chain) => chain !== undefined)).toBe(true);
    const { rows } = await pool.query<{ count: string }>(`select count(*) from "${schema}".job`);
    expect(Number(rows[0]?.count), "every chain is that of a tick").toBe(chains.length);
    return Object.fromEntries(ticks.map(({ at, chainId }) => [String(at), chainId === undefined ? 0 : 1]));
  };

  /** The gates that a tick passes. */
  const gatesOfTick = async () => {
    const item = itemOf(await scheduleOf(other, "s"), 1_000);
    return gates.visited(() => stopped.tick([item], {}));
  };

  /** Stops a tick of `s` at each of its statements, and makes another call meanwhile. Returns what became of both. */
  const atEachStatement = async (during: (item: TickItem) => Promise<string>) => {
    const outcomes = [];
    for (const gate of await gatesOfTick()) {
      await emptied();
      const item = itemOf(await scheduleOf(other, "s"), 1_000);
      let [ticked, made] = ["", ""];
      await gates.overlap(async () => {
        ticked = said(await stopped.tick([item], {})).join();
      }, [
        {
          gate,
          during: async () => {
            made = await during(item);
          },
        },
      ]);
      outcomes.push({ gate, ticked, made, chains: await chainsByInstant() });
    }
    expect(outcomes.length).toBeGreaterThan(8);
    return outcomes;
  };

  it("B1: a second worker that ticks the same schedule starts nothing, whichever statement the first has come to", async () => {
    const outcomes = await atEachStatement(async (item) => {
      const [start] = item.starts;
      return said(await other.tick([{ ...item, starts: [{ at: start?.at ?? 0, start: job("a") }] }], {})).join();
    });
    for (const { gate, ticked, made, chains } of outcomes) {
      expect([ticked, made].toSorted(), gate).toEqual(["started", "taken"]);
      expect(chains, gate).toEqual({ 1000: 1 });
    }
  });

  it("B1: a backfill of the instant that is being ticked starts no second chain", async () => {
    for (const { gate, ticked, made, chains } of await atEachStatement(async () =>
      said(await other.tick([gapOf("s", 1_000)], {})).join(),
    )) {
      // Before the tick has locked the schedule the backfill is first, and the tick advances over it.
      expect(
        [
          ["started", "taken"],
          ["known", "started"],
        ],
        gate,
      ).toContainEqual([ticked, made]);
      expect(chains, gate).toEqual({ 1000: 1 });
    }
  });

  it("B6: an edit during a tick is refused as changed, or comes first, and then the tick starts nothing", async () => {
    const edit = async ({ advance }: TickItem) => {
      const from = advance === undefined ? undefined : { revision: advance.revision, nextAt: advance.nextAt };
      const reply = await other.changeSchedules([{ id: "s", from, to: settings(5_000) }], {});
      return reply.ok ? "edited" : reply.refusal.code;
    };
    for (const { gate, ticked, made, chains } of await atEachStatement(edit)) {
      expect(
        [
          ["started", "schedule-changed"],
          ["taken", "edited"],
        ],
        gate,
      ).toContainEqual([ticked, made]);
      expect(chains, gate).toEqual(ticked === "started" ? { 1000: 1 } : {});
      expect((await scheduleOf(other, "s")).revision).toBeLessThanOrEqual(2);
    }
  });

  it("a deletion during a tick is refused as changed, or comes first, and then the tick starts nothing", async () => {
    const remove = async ({ advance }: TickItem) => {
      const from = advance === undefined ? undefined : { revision: advance.revision, nextAt: advance.nextAt };
      const reply = await other.changeSchedules([{ id: "s", from, to: undefined }], {});
      return reply.ok ? "deleted" : reply.refusal.code;
    };
    for (const { gate, ticked, made, chains } of await atEachStatement(remove)) {
      expect(
        [
          ["started", "schedule-changed"],
          ["taken", "deleted"],
        ],
        gate,
      ).toContainEqual([ticked, made]);
      expect(chains, gate).toEqual(ticked === "started" ? { 1000: 1 } : {});
    }
  });

  it("upkeep that forgets old ticks during a tick leaves those of the schedule that is being ticked", async () => {
    const upkeep = { chore: "windows", completedMs: undefined, failedMs: undefined, limit: 100 } as const;
    const outcomes = await atEachStatement(async () => {
      await other.maintain(upkeep, { now: Date.now() + 15 * day });
      return "done";
    });
    for (const { gate, ticked, chains } of outcomes) {
      expect(ticked, gate).toBe("started");
      expect(chains, gate).toEqual({ 1000: 1 });
    }
  });

  it("of two creations of one schedule at the same time one is refused as a duplicate", async () => {
    const creating = async (store: StateAdapter<PoolClient>, id: string) => {
      const changes = ["n", id].map((each) => ({ id: each, from: undefined, to: settings(1) }));
      const reply = await store.changeSchedules(changes, {});
      return reply.ok ? "created" : reply.refusal.code;
    };
    const visited = await gates.visited(() => creating(stopped, "first"));
    for (const gate of visited) {
      await emptied();
      const replies: string[] = [];
      await gates.overlap(
        async () => void replies.push(await creating(stopped, "first")),
        [{ gate, during: async () => void replies.push(await creating(other, "second")) }],
      );
      expect(replies.toSorted(), gate).toEqual(["created", "duplicate-id"]);
      const page = { after: undefined, limit: 9, order: "ascending" } as const;
      const ids = (await other.listSchedules(page, {})).schedules.map(({ id }) => id);
      expect(ids, gate).toHaveLength(3);
    }
  });

  it("a tick waits for no transaction that has locked a schedule, and ticks the others", async () => {
    await create(other, ["held", "free"], 1_000);
    const items = await Promise.all(["held", "free"].map(async (id) => itemOf(await scheduleOf(other, id), 1_000)));
    await other.transaction(async (tx) => {
      const { revision, nextAt } = await scheduleOf(other, "held");
      await other.changeSchedules([{ id: "held", from: { revision, nextAt }, to: settings(nextAt) }], { tx });
      expect(said(await stopped.tick([...items, gapOf("held", 1)], { waitMs: 5_000 }))).toEqual([
        "taken",
        "started",
        "taken",
      ]);
      const { schedules, nextTickInMs } = await stopped.dueSchedules(10, {});
      expect(schedules.map(({ id }) => id)).toEqual(["held", "s", "free"]);
      expect(nextTickInMs).toBeUndefined();
    });
    const again = itemOf(await scheduleOf(other, "held"), 1_000);
    expect(said(await stopped.tick([again], {}))).toEqual(["started"]);
  });

  it("B2: a tick whose connection is killed at any statement leaves nothing, and the next one starts the chain", async () => {
    for (const gate of await gatesOfTick()) {
      await emptied();
      const item = itemOf(await scheduleOf(other, "s"), 1_000);
      const outcomes: unknown[] = [];
      const { rows } = await gates.stopped.query<{ pid: number }>("select pg_backend_pid() as pid");
      await gates.overlap(async () => {
        await stopped.tick([item], {}).then(
          (replies) => outcomes.push(said(replies).join()),
          () => outcomes.push("failed"),
        );
      }, [{ gate, during: async () => void (await pool.query("select pg_terminate_backend($1)", [rows[0]?.pid])) }]);
      expect(outcomes, gate).toEqual(["failed"]);
      expect(await chainsByInstant(), gate).toEqual({});
      expect(await scheduleOf(other, "s")).toMatchObject({ nextAt: 1_000, lastAt: undefined, lastChainId: undefined });
      // The killed session may still be rolling back.
      await expect.poll(async () => said(await other.tick([item], {}))).toEqual(["started"]);
      expect(await chainsByInstant(), gate).toEqual({ 1000: 1 });
    }
  });

  it("B1: a tick whose reply was lost after its commit is not repeated", async () => {
    const wire = await openWire(url ?? "");
    const cut = new Pool({ connectionString: wire.url, max: 1 });
    cut.on("error", () => undefined);
    const holder = new Client({ connectionString: url });
    await holder.connect();
    const deduplication = { key: "k", scope: "active", windowMs: undefined } as const;
    const schedule = await scheduleOf(other, "s");
    const item = itemOf(schedule, 1_000, { starts: [{ at: 1_000, start: job("a", { deduplication }) }] });
    // The start waits for its key, so that the connection breaks while the server is at work.
    await holder.query("begin");
    await holder.query(
      `insert into "${schema}".deduplication (key, chain_id, scope) values ('k', gen_random_uuid(), 0)`,
    );
    const lost = createPostgresStateAdapter({ driver: pg(cut), schema }).tick([item], {});
    const reported = lost.then(
      () => undefined,
      (error: unknown) => error,
    );
    await expect
      .poll(async () => (await pool.query(`select 1 from pg_locks where not granted`)).rows.length)
      .toBeGreaterThan(0);
    wire.cut();
    expect(await reported).toMatchObject({ code: "store-unavailable" });
    await holder.query("rollback");
    await expect.poll(chainsByInstant).toEqual({ 1000: 1 });
    expect(said(await other.tick([item], {}))).toEqual(["taken"]);
    expect(said(await other.tick([gapOf("s", 1_000)], {}))).toEqual(["known"]);
    expect(await chainsByInstant()).toEqual({ 1000: 1 });
    await Promise.all([holder.end(), cut.end(), wire.close()]);
  });
});
