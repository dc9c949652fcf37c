import { withIoRedis, withNats, withNodeRedis } from "./broker-pairs.ts";
import type { Pair, Urls } from "./pair.ts";
import { openInProcessPair, openPgPair, openPostgresJsPair, openSqlitePair } from "./sql-pairs.ts";
import { openInProcess, openPGlite, openSqlite } from "./state-adapters.ts";

export interface PairPlace {
  /** The path of a file that does not exist yet. */
  readonly path: string;
  /** The name of a schema that does not exist yet. */
  readonly schema: string;
  readonly urls: Urls;
}

interface PairKind {
  readonly needs?: keyof Urls;
  readonly open: (place: PairPlace) => Promise<Pair>;
}

/** Pairs that contain every state adapter and driver, and every notify adapter and driver. */
export const pairs = {
  "in-process": { open: openInProcessPair },
  "better-sqlite3, SQLite hints": { open: ({ path }) => openSqlitePair(path) },
  "node:sqlite, ioredis": {
    needs: "redis",
    open: async ({ path, urls }) => withIoRedis(await openSqlite(path, "node:sqlite"), urls.redis ?? ""),
  },
  "in-process, node-redis": {
    needs: "redis",
    open: async ({ urls }) => withNodeRedis(await openInProcess(), urls.redis ?? ""),
  },
  "PGlite, NATS": {
    needs: "nats",
    open: async ({ urls }) => withNats(await openPGlite(), urls.nats ?? ""),
  },
  "pg, LISTEN": { needs: "postgres", open: ({ urls, schema }) => openPgPair(urls.postgres ?? "", schema) },
  "postgres.js, LISTEN": {
    needs: "postgres",
    open: ({ urls, schema }) => openPostgresJsPair(urls.postgres ?? "", schema),
  },
} satisfies Record<string, PairKind>;

export type PairName = keyof typeof pairs;

export const pairNames = Object.keys(pairs) as readonly PairName[];

export function needOf(name: PairName): keyof Urls | undefined {
  const kind: PairKind = pairs[name];
  return kind.needs;
}
