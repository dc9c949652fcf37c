import { createNatsNotifyAdapter } from "@chainwright/nats";
import { delay, now, percentile, placeOf, type Servers } from "@chainwright/bench-measuring";
import { openPool } from "@chainwright/bench-measuring/postgres";
import { createPostgresNotifyAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createRedisNotifyAdapter } from "@chainwright/redis";
import { nodeRedis } from "@chainwright/redis/node-redis";
import { connect } from "@nats-io/transport-node";
import {
  createClient,
  createInProcessNotifyAdapter,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  type JobId,
  type NotifyAdapter,
  type StateAdapter,
} from "chainwright";
import { createClient as createRedisClient } from "redis";
import type { Scenario, ScenarioRow } from "../scenario.ts";

const jobTypes = defineJobTypes<{ work: { entry: true; input: null; output: null; checkpoint: { n: number } } }>();

/** Each side of a watch has a connection of its own. */
interface Side {
  readonly notifyAdapter: NotifyAdapter | undefined;
  close(): Promise<unknown>;
}

interface WatchRow extends ScenarioRow {
  open(servers: Servers): Promise<() => Promise<Side>>;
}

/** The pauses differ, so that polls and saves do not keep step. */
const pauseMs = (n: number): number => 30 + (n % 7) * 11;

const rows: readonly WatchRow[] = [
  { name: "none", needs: [], open: async () => async () => ({ notifyAdapter: undefined, close: async () => {} }) },
  {
    name: "in-process",
    needs: [],
    async open() {
      const notifyAdapter = createInProcessNotifyAdapter();
      return async () => ({ notifyAdapter, close: () => notifyAdapter.close() });
    },
  },
  {
    name: "postgres",
    needs: ["postgres"],
    open: async (servers) => async () => {
      const pool = openPool(servers, 3);
      return { notifyAdapter: createPostgresNotifyAdapter({ driver: pg(pool) }), close: () => pool.end() };
    },
  },
  {
    name: "redis",
    needs: ["redis"],
    open: async (servers) => async () => {
      const redis = createRedisClient({ url: placeOf(servers, "redis").url });
      redis.on("error", () => undefined);
      await redis.connect();
      return { notifyAdapter: createRedisNotifyAdapter({ driver: nodeRedis(redis) }), close: () => redis.close() };
    },
  },
  {
    name: "nats",
    needs: ["nats"],
    open: async (servers) => async () => {
      const connection = await connect({ servers: placeOf(servers, "nats").url });
      return { notifyAdapter: createNatsNotifyAdapter({ connection }), close: () => connection.close() };
    },
  },
];

/** How soon a watch yields what was noted. */
export const watch: Scenario = {
  name: "watch",
  title: "From a checkpoint to those that watch the job",
  note: "From the moment at which a checkpoint is saved until watchJob of another client, with a connection of its own to the broker, yields it. The store is in this process; without a broker the watch polls it.",
  columns: [
    { name: "p50 ms", keys: ["p50"], digits: 1 },
    { name: "p99 ms", keys: ["p99"], digits: 1 },
  ],
  rows,
  async measure(name, { settings, servers }) {
    const row = rows.find((one) => one.name === name);
    if (row === undefined) throw new Error(`there is no row "${name}"`);
    const openSide = await row.open(servers);
    const [worker, watcher] = [await openSide(), await openSide()];
    const stateAdapter = createInProcessStateAdapter();
    const latencies = await measureWatch(stateAdapter, { worker, watcher, saves: settings.watchedSaves });
    for (const { notifyAdapter, close } of [worker, watcher]) {
      await notifyAdapter?.close();
      await close();
    }
    await stateAdapter.close();
    return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
  },
};

interface Sides {
  readonly worker: Side;
  readonly watcher: Side;
  readonly saves: number;
}

async function measureWatch(stateAdapter: StateAdapter, sides: Sides): Promise<readonly number[]> {
  const clientOf = ({ notifyAdapter }: Side) => createClient({ stateAdapter, notifyAdapter, jobTypes, observers: [] });
  const [working, watching] = [clientOf(sides.worker), clientOf(sides.watcher)];
  const savedAt = new Map<number, number>();
  const begun = Promise.withResolvers<JobId>();
  const watched = Promise.withResolvers<void>();
  const processors = createProcessors({
    client: working,
    jobTypes,
    processors: {
      work: async ({ job, saveCheckpoint }) => {
        begun.resolve(job.id);
        await watched.promise;
        for (let n = 1; n <= sides.saves; n += 1) {
          await delay(pauseMs(n));
          await saveCheckpoint({ n });
          savedAt.set(n, now());
        }
        return null;
      },
    },
  });
  const worker = createWorker({ client: working, processors: [processors] });
  await worker.start();
  await working.startChain({ typeName: "work", input: null });
  const latencies: number[] = [];
  for await (const update of watching.watchJob({ id: await begun.promise, typeName: "work" })) {
    watched.resolve();
    if (update.kind !== "checkpoint") continue;
    // It may come before the call that saved it has returned.
    latencies.push(Math.max(0, now() - (savedAt.get(update.checkpoint.n) ?? now())));
  }
  await worker.stop();
  await working.close();
  await watching.close();
  return latencies;
}
