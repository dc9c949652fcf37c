import { randomUUID } from "node:crypto";
import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import type { ClaimedJob, JobStart, JobWait, Reply, SentSignal } from "chainwright/adapter";
import { Pool, type PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { claimOf, job, workerId } from "./jobs.ts";
import { openGates, type Gates } from "./overlaps/gates.ts";
import { scaled } from "./scale.ts";
import { brokenSignalRules } from "./signal-rules.ts";

const url = await findBackend("postgres");

/** One in so many statements of a call is a place to stop at. */
const every = scaled(7, 1);

const sent = (signalId: string = randomUUID()): SentSignal => {
  return { typeName: "w", signal: "go", payload: "{}", signalId, context: undefined };
};
const waits = (wait: Partial<JobWait> = {}, details: Partial<JobStart> = {}) =>
  job("w", { waits: { until: undefined, topics: ["t"], ...wait }, ...details });

/** Chains that wait, or are about to. */
interface World {
  readonly running: ClaimedJob;
  readonly half: JobStart;
  readonly late: JobStart;
  readonly keyed: JobStart;
  readonly cancelled: JobStart;
  /** The ids of signals that calls have accepted. */
  readonly accepted: { readonly signalId: string; readonly chainId: string }[];
}

type Call = (store: StateAdapter<PoolClient>, world: World) => Promise<unknown>;

const signals =
  (chainsOf: (world: World) => readonly string[]): Call =>
  async (store, world) => {
    const items = chainsOf(world).map((chainId) => ({ chainId, ...sent() }));
    const reply = await store.signal(items, {});
    if (reply.ok) note(world, items, reply);
  };

const note = (
  world: World,
  items: readonly { signalId: string | undefined; chainId: string }[],
  reply: Reply<unknown>,
) => {
  if (!reply.ok) return;
  for (const { signalId = "", chainId } of items) world.accepted.push({ signalId, chainId });
};

const publishes =
  (keepMs: number): Call =>
  (store) =>
    store.signal([{ topic: "t", keepMs, ...sent(), signalId: randomUUID() }], {});

const fenceOf = ({ id, fence }: ClaimedJob) => ({ jobId: id, workerId, fence });

const calls: Readonly<Record<string, Call>> = {
  "signal the chain that begins to wait": signals(({ running }) => [running.chainId]),
  "signal several": signals(({ running, half, late, keyed }) => [running.chainId, half.id, late.id, keyed.id]),
  "signal the last that a wait collects": signals(({ half }) => [half.id]),
  "publish and keep": publishes(60_000),
  publish: publishes(0),
  "begin to wait": (store, { running }) => {
    return store.settle([{ target: fenceOf(running), kind: "continued", next: waits() }], {});
  },
  "begin to wait for a while": (store, { running }) => {
    const next = waits({ until: { afterMs: 60_000 }, topics: undefined });
    return store.settle([{ target: fenceOf(running), kind: "continued", next }], {});
  },
  claim: (store) => store.exchange({ outcomes: [], claim: claimOf(["w"], 10) }, {}),
  "cancel several": (store, { half, late, keyed }) =>
    store.cancel(
      [half, late, keyed].map(({ id: chainId }) => ({ chainId, reason: undefined, blockers: "leave" as const })),
      {},
    ),
  "complete from outside": (store, { half }) =>
    store.settle([{ target: { chainId: half.id, typeName: "w" }, kind: "completed", output: "1" }], {}),
  "wait again from outside": (store, { half }) =>
    store.settle([{ target: { chainId: half.id, typeName: "w" }, kind: "continued", next: waits() }], {}),
  retry: (store, { cancelled }) => store.retry([{ chainId: cancelled.id, input: undefined, typeName: "w" }], {}),
  "remove several": (store, { half, late }) => store.remove({ chainIds: [half.id, late.id], cascade: true }, {}),
  "start or signal": async (store, world) => {
    const own = sent();
    const start = waits({}, { deduplication: world.keyed.deduplication, signals: [own] });
    const [reply] = await store.start([{ starts: [start] }], {});
    if (reply?.ok === true) note(world, [{ ...own, chainId: reply.value[0]?.id ?? "" }], reply);
  },
};

describe.skipIf(url === undefined)(
  "signals and other calls, one of them stopped between two statements",
  { timeout: 600_000 },
  () => {
    const schema = `signal races ${process.pid}`;
    const s = `"${schema}"`;
    let pool: Pool;
    let gates: Gates;
    let stopped: StateAdapter<PoolClient>;
    let other: StateAdapter<PoolClient>;
    let conflicts = 0;

    beforeAll(async () => {
      pool = new Pool({ connectionString: url, max: 4 });
      await createPostgresStateAdapter({ driver: pg(pool), schema }).migrate();
      gates = await openGates(url ?? "", schema);
      gates.stopped.on("error", () => undefined);
      stopped = createPostgresStateAdapter({ driver: pg(gates.stopped), schema });
      other = createPostgresStateAdapter({ driver: pg(gates.others), schema });
    });

    afterAll(async () => {
      await gates.close();
      await pool.query(`drop schema ${s} cascade`);
      await pool.end();
    });

    const tables = [
      "job",
      "open_job",
      "deduplication",
      "stopped",
      "failure",
      "expiry",
      "signal",
      "topic",
      "publication",
      "tally_change",
    ];

    const createWorld = async (): Promise<World> => {
      await pool.query(tables.map((table) => `delete from ${s}.${table}`).join("; "));
      const deduplication = { key: "k", scope: "any", windowMs: undefined } as const;
      const [half, late, keyed, cancelled] = [
        waits({ collect: { go: 2 } }),
        waits({ until: { afterMs: 1 } }),
        waits({}, { deduplication }),
        waits(),
      ];
      await other.start([{ starts: [job("a"), half, keyed, cancelled] }], {});
      await other.signal([{ chainId: half.id, ...sent() }], {});
      await other.cancel([{ chainId: cancelled.id, reason: undefined, blockers: "leave" }], {});
      const [first] = (await other.exchange({ outcomes: [], claim: claimOf(["a"], 1) }, {})).claimed;
      if (first === undefined) throw new Error("nothing was claimed");
      // A second step: the end of the first one would lock the chain in any case.
      await other.settle([{ target: fenceOf(first), kind: "continued", next: job("b") }], {});
      const [running] = (await other.exchange({ outcomes: [], claim: claimOf(["b"], 1) }, {})).claimed;
      if (running === undefined) throw new Error("nothing was claimed");
      // A claim after it was due would have ended its wait.
      await other.start([{ starts: [late] }], {});
      await pool.query("select pg_sleep(0.003)");
      return { running, half, late, keyed, cancelled, accepted: [] };
    };

    /** Repeats a call that conflicts with another, as the engine does. */
    const insisting = async (call: Call, store: StateAdapter<PoolClient>, world: World): Promise<void> => {
      for (;;) {
        try {
          await call(store, world);
          return;
        } catch (error) {
          if (!store.isConflict(error)) throw error;
          conflicts += 1;
        }
      }
    };

    const signalsAndWaits = async () => {
      const text = `select o.job_id, o.waits, o.state, (select json_agg(g order by g.position) from ${s}.signal g where g.chain_id = o.chain_id) as signals,
      (select count(*) from ${s}.publication) as kept from ${s}.open_job o order by o.job_id`;
      return (await pool.query<Record<string, unknown>>(text)).rows;
    };

    const pairs = Object.keys(calls).flatMap((first) => Object.keys(calls).map((second) => [first, second] as const));

    it.each(pairs.filter(([first, second]) => first !== "claim" || second !== "claim"))(
      "%s, and %s: no job waits beside a signal, none is lost and none is taken twice",
      async (first, second) => {
        const [stoppedCall, otherCall] = [calls[first], calls[second]];
        if (stoppedCall === undefined || otherCall === undefined) throw new Error("there is no such call");
        const world = await createWorld();
        const visited = await gates.visited(() => insisting(stoppedCall, stopped, world));
        const from = (first.length + second.length) % every;
        for (const gate of visited.filter((_, n) => n % every === from)) {
          const own = await createWorld();
          await gates.overlap(
            () => insisting(stoppedCall, stopped, own),
            [{ gate, during: () => insisting(otherCall, other, own) }],
          );
          expect(await brokenSignalRules(pool, s, own.accepted), gate).toEqual([]);
        }
        expect(conflicts).toBe(0);
      },
    );

    it.each(["signal several", "publish and keep", "begin to wait", "start or signal", "claim", "retry"])(
      "%s, killed between two statements, has done nothing, and is done by the next call",
      async (name) => {
        const call = calls[name];
        if (call === undefined) throw new Error("there is no such call");
        const first = await createWorld();
        const visited = await gates.visited(() => call(stopped, first));
        // Each takes a third of a second, because the new connection compiles the functions.
        for (const gate of visited.filter((_, n) => n % (2 * every) === 1)) {
          const world = await createWorld();
          const before = await signalsAndWaits();
          const { rows } = await gates.stopped.query<{ pid: number }>("select pg_backend_pid() as pid");
          const kill = async () => void (await pool.query("select pg_terminate_backend($1, 5000)", [rows[0]?.pid]));
          const outcomes: string[] = [];
          const stoppedCall = async () => {
            await call(stopped, world).then(
              () => outcomes.push("returned"),
              () => outcomes.push("failed"),
            );
          };
          await gates.overlap(stoppedCall, [{ gate, during: kill }]);
          expect(outcomes, gate).toEqual(["failed"]);
          expect(await signalsAndWaits(), gate).toEqual(before);
          await call(other, world);
          expect(await signalsAndWaits(), gate).not.toEqual(before);
          expect(await brokenSignalRules(pool, s, world.accepted), gate).toEqual([]);
        }
      },
    );
  },
);
