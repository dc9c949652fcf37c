// Wakes workers through Redis, by ioredis.
import { createRedisNotifyAdapter } from "@chainwright/redis";
import { ioRedis } from "@chainwright/redis/ioredis";
import { Redis } from "ioredis";
import { wakeUpThrough } from "./wake-up.ts";

const redis = new Redis(process.env["REDIS_URL"] ?? "redis://localhost");
redis.on("error", (error) => console.error("Redis is unavailable:", error)); // ioredis reconnects by itself

// One for each process.
const notifyAdapter = () => createRedisNotifyAdapter({ driver: ioRedis(redis), channelPrefix: "example:ioredis" });
await wakeUpThrough(notifyAdapter(), notifyAdapter());

await redis.quit();
