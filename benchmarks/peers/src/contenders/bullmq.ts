import { placeOf, type Servers } from "@chainwright/bench-measuring";
import { dropSchema } from "@chainwright/bench-measuring/postgres";
import { createPostgresBackend, Queue, withBackend, Worker, type Job } from "bullmq";
import { Redis } from "ioredis";
import { next, type Contender, type Load, type OpenContender, type Pace } from "../contender.ts";

/** What the classes of either backend have in common. */
interface QueueLike {
  add(name: string, data: Load): Promise<unknown>;
  addBulk(jobs: { name: string; data: Load }[]): Promise<unknown>;
  getJobCounts(...types: ("waiting" | "active" | "prioritized" | "delayed")[]): Promise<Record<string, number>>;
  close(): Promise<void>;
}
interface WorkerLike {
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
}
interface WorkerSettings {
  readonly concurrency: number;
  readonly removeOnComplete?: { readonly count: number };
}
type Handle = (job: Job<Load>) => Promise<void>;
type CreateWorker = (queue: string, handle: Handle, options: WorkerSettings) => WorkerLike;

const settings = { plain: "defaults", recommended: "concurrency 200, removeOnComplete 1,000" };
const ofServers = { league: "servers", mode: "value", settings } as const;

export const bullmqContenders: readonly Contender[] = [
  {
    ...ofServers,
    name: "bullmq/postgres",
    needs: ["postgres"],
    async create(servers) {
      const schema = "bullmq_peers";
      await dropSchema(servers, schema);
      // The first queue to connect creates the schema.
      await (await joinPostgres(servers, schema)).close();
      return schema;
    },
    join: joinPostgres,
    remove: dropSchema,
  },
  onRedis("bullmq/redis, fsync always", "always"),
  onRedis("bullmq/redis, fsync each second (less durable)", "everysec"),
];

async function joinPostgres(servers: Servers, schema: string): Promise<OpenContender> {
  const on = withBackend(createPostgresBackend);
  const connection = { connectionString: placeOf(servers, "postgres").url, schema, migrate: true, max: 10 };
  const queue = new on.Queue<Load>("work", { connection });
  queue.on("error", () => undefined);
  await queue.waitUntilReady();
  return openQueue(queue, (name, handle, options) => {
    const worker = new on.Worker<Load>(name, handle, { connection, ...options });
    worker.on("error", () => undefined);
    return worker;
  });
}

function onRedis(name: string, appendfsync: "always" | "everysec"): Contender {
  return {
    ...ofServers,
    name,
    needs: ["redis"],
    async create(servers) {
      const redis = new Redis(connectionTo(servers));
      await redis.config("SET", "appendonly", "yes");
      await redis.config("SET", "appendfsync", appendfsync);
      await redis.quit();
      const prefix = "bull";
      await removeKeys(servers, prefix);
      return prefix;
    },
    async join(servers, prefix) {
      const connection = connectionTo(servers);
      const queue = new Queue<Load>("work", { connection, prefix });
      queue.on("error", () => undefined);
      await queue.waitUntilReady();
      return openQueue(queue, (type, handle, options) => {
        const worker = new Worker<Load>(type, handle, { connection, prefix, ...options });
        worker.on("error", () => undefined);
        return worker;
      });
    },
    remove: removeKeys,
  };
}

function connectionTo(servers: Servers) {
  const url = new URL(placeOf(servers, "redis").url);
  return { host: url.hostname, port: Number(url.port), maxRetriesPerRequest: null };
}

async function removeKeys(servers: Servers, prefix: string): Promise<void> {
  const redis = new Redis(connectionTo(servers));
  const old = await redis.keys(`${prefix}:*`);
  for (let from = 0; from < old.length; from += 1_000) await redis.unlink(...old.slice(from, from + 1_000));
  await redis.quit();
}

function openQueue(queue: QueueLike, createWorker: CreateWorker): OpenContender {
  const start = async (type: string, pace: Pace, handle: Handle) => {
    const worker = createWorker(type, handle, settingsOf(pace));
    await worker.waitUntilReady();
    return { stop: () => worker.close() };
  };
  return {
    enqueue: (data) => queue.add("work", data),
    enqueueMany: (loads) => queue.addBulk(loads.map((data) => ({ name: "work", data }))),
    startWorker: (pace, onJob) =>
      start("work", pace, async ({ data }) => {
        onJob(data);
        if (data.stepsLeft > 0) await queue.add("work", next(data));
      }),
    startIdleWorker: (pace) => start("idle", pace, async () => undefined),
    async unsettled() {
      const counts = await queue.getJobCounts("waiting", "active", "prioritized", "delayed");
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
    close: () => queue.close(),
  };
}

function settingsOf(pace: Pace): WorkerSettings {
  return pace === "recommended" ? { concurrency: 200, removeOnComplete: { count: 1_000 } } : { concurrency: pace };
}
