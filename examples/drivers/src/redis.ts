// Wakes workers through Redis, by redis (node-redis).
import { createRedisNotifyAdapter } from "@chainwright/redis";
import { nodeRedis } from "@chainwright/redis/node-redis";
import { createClient } from "redis";
import { wakeUpThrough } from "./wake-up.ts";

const redis = createClient({ url: process.env["REDIS_URL"] ?? "redis://localhost" });
redis.on("error", (error) => console.error("Redis is unavailable:", error)); // redis reconnects by itself
await redis.connect();

// One for each process.
const notifyAdapter = () => createRedisNotifyAdapter({ driver: nodeRedis(redis), channelPrefix: "example:redis" });
await wakeUpThrough(notifyAdapter(), notifyAdapter());

await redis.close();
