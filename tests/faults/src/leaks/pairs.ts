import { withIoRedis, withNats, withNodeRedis } from "./broker-pairs.ts";
import type { Pair, Urls } from "./pair.ts";
import { openInProcessPair, openPgPair, openPostgresJsPair, openSqlitePair } from "./sql-pairs.ts";
import { openInProcess, openPGlite, openSqlite } from "./state-adapters.ts";

export interface PairPlace {
  /** Of a file that is not there yet. */
  readonly path: string;
  /** Of a schema that is not there yet. */
  readonly schema: string;
  readonly urls: Urls;
}

interface PairKind {
  readonly needs?: keyof Urls;
  readonly open: (place: PairPlace) => Promise<Pair>;
}

/** Every state adapter and driver, and every notify adapter and driver, in a pair or more. */
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
