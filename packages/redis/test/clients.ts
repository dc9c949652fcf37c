import { Cluster, Redis } from "ioredis";
import { createClient, createCluster } from "redis";
import type { RedisDriver } from "../src/index.ts";
import { ioRedis } from "../src/drivers/ioredis.ts";
import { nodeRedis } from "../src/drivers/node-redis.ts";

/** A client as an application opens it, and its driver. */
export interface OpenedClient {
  readonly driver: RedisDriver;
  /** Sends one command, given as its words. */
  send(...command: readonly [string, ...string[]]): Promise<unknown>;
  close(): Promise<void>;
}

/** Opens a client whose connections, and those of its duplicates, have the given name. */
export type OpenClient = (url: string, name: string) => Promise<OpenedClient>;

const ignore = (): void => {};

export const openNodeRedis: OpenClient = async (url, name) => {
  const client = await createClient({ url, name }).on("error", ignore).connect();
  return {
    driver: nodeRedis(client),
    send: (...command) => client.sendCommand(command),
    close: async () => client.destroy(),
  };
};

export const openNodeRedisCluster: OpenClient = async (url, name) => {
  const cluster = await createCluster({ rootNodes: [{ url }], defaults: { name } })
    .on("error", ignore)
    .connect();
  return {
    driver: nodeRedis(cluster),
    send: (...command) => cluster.sendCommand(undefined, undefined, [...command]),
    close: async () => cluster.destroy(),
  };
};

export const openIoRedis: OpenClient = async (url, name) => {
  const client = new Redis(url, { connectionName: name }).on("error", ignore);
  return {
    driver: ioRedis(client),
    send: (command, ...words) => client.call(command, ...words),
    close: async () => client.disconnect(),
  };
};

export const openIoRedisCluster: OpenClient = async (url, name) => {
  const cluster = new Cluster([url], { redisOptions: { connectionName: name } }).on("error", ignore);
  return {
    driver: ioRedis(cluster),
    send: (command, ...words) => cluster.call(command, ...words),
    close: async () => cluster.disconnect(),
  };
};
