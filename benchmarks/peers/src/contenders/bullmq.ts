import { cpuOf, placeOf, type ServerPlace, type Servers } from "@chainwright/bench-measuring";
import { createPostgresBackend, Queue, withBackend, Worker, type Job } from "bullmq";
import { Redis } from "ioredis";
import { Pool } from "pg";
import { next, type Contender, type Load, type OpenContender } from "../contender.ts";

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

const settings = { plain: "defaults", recommended: "concurrency 200, removeOnComplete 1,000" };

export const bullmqContenders: readonly Contender[] = [
  {
    name: "bullmq/postgres",
    league: "servers",
    needs: ["postgres"],
    settings,
    async open(servers) {
      const place = placeOf(servers, "postgres");
      const pool = new Pool({ connectionString: place.url, max: 1 });
      await pool.query("drop schema if exists bullmq_peers cascade");
      await pool.end();
      const on = withBackend(createPostgresBackend);
      const connection = { connectionString: place.url, schema: "bullmq_peers", migrate: true, max: 10 };
      const queue = new on.Queue<Load>("work", { connection });
      queue.on("error", () => undefined);
      await queue.waitUntilReady();
      return openQueue(place, queue, (handle, options) => {
        const worker = new on.Worker<Load>("work", handle, { connection, ...options });
        worker.on("error", () => undefined);
        return worker;
      });
    },
  },
  onRedis("bullmq/redis, fsync always", "always"),
  onRedis("bullmq/redis, fsync each second (less durable)", "everysec"),
];

function onRedis(name: string, appendfsync: "always" | "everysec"): Contender {
  return {
    name,
    league: "servers",
    needs: ["redis"],
    settings,
    async open(servers: Servers) {
      const place = placeOf(servers, "redis");
      const url = new URL(place.url);
      const connection = { host: url.hostname, port: Number(url.port), maxRetriesPerRequest: null };
      const redis = new Redis(connection);
      await redis.config("SET", "appendonly", "yes");
      await redis.config("SET", "appendfsync", appendfsync);
      const old = await redis.keys("bull:*");
      for (let from = 0; from < old.length; from += 1_000) await redis.unlink(...old.slice(from, from + 1_000));
      await redis.quit();
      const queue = new Queue<Load>("work", { connection });
      queue.on("error", () => undefined);
      await queue.waitUntilReady();
      return openQueue(place, queue, (handle, options) => {
        const worker = new Worker<Load>("work", handle, { connection, ...options });
        worker.on("error", () => undefined);
        return worker;
      });
    },
  };
}

function openQueue(
  place: ServerPlace,
  queue: QueueLike,
  createWorker: (handle: (job: Job<Load>) => Promise<void>, options: WorkerSettings) => WorkerLike,
): OpenContender {
  return {
    serverCpu: () => cpuOf(place),
    enqueue: (data) => queue.add("work", data),
    enqueueMany: (loads) => queue.addBulk(loads.map((data) => ({ name: "work", data }))),
    async startWorker(pace, onJob) {
      const options =
        pace === "recommended" ? { concurrency: 200, removeOnComplete: { count: 1_000 } } : { concurrency: pace };
      const worker = createWorker(async ({ data }) => {
        onJob(data);
        if (data.stepsLeft > 0) await queue.add("work", next(data));
      }, options);
      await worker.waitUntilReady();
      return { stop: () => worker.close() };
    },
    async unsettled() {
      const counts = await queue.getJobCounts("waiting", "active", "prioritized", "delayed");
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
    close: () => queue.close(),
  };
}
