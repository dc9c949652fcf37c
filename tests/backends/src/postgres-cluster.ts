import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { Client } from "pg";
import { give, unprivilegedIdentity } from "./identity.ts";
import { BackendMissingError } from "./missing.ts";
import { startPostgresProxy } from "./postgres-proxy.ts";
import type { PostgresProxy } from "./postgres-proxy.ts";
import { startPostgres } from "./postgres.ts";
import type { Server } from "./server.ts";

const run = promisify(execFile);

export interface ClusterOptions {
  readonly standbys: number;
  /** The settings of every server. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A server of a cluster. */
export interface ClusterNode {
  /** The name for `synchronous_standby_names`: `node_a` is the first primary, `node_b` the first standby. */
  readonly name: string;
  readonly server: Server;
}

export interface Standby extends ClusterNode {
  /** From now on the standby receives nothing from the primary. */
  holdBack(): void;
}

/** A primary with standbys that stream from it, and a proxy that leads to the current primary. */
export interface PostgresCluster {
  readonly primary: ClusterNode;
  readonly standbys: readonly Standby[];
  /** The URL that clients connect to. */
  readonly url: string;
  /** With `true`, messages between clients and server are lost, and neither end notices; with `false`, new connections work. */
  partition(isPartitioned: boolean): void;
  /** Leads clients to another server, and ends all their connections, also the lost ones. */
  lead(to: ClusterNode): void;
  /** Makes commits of the primary wait for these standbys, such as `ANY 1 (node_b, node_c)`; an empty text means none. */
  waitFor(names: string): Promise<void>;
  /** Makes a standby a primary; resolves when it takes writes. */
  promote(node: ClusterNode): Promise<void>;
  /** Returns the standby that has received most. */
  mostAdvanced(): Promise<Standby>;
  stop(): Promise<void>;
}

/** Starts the servers, and waits until all standbys stream. Needs the program `pg_basebackup` beside `postgres`. */
export async function startPostgresCluster({
  standbys: count,
  settings = {},
}: ClusterOptions): Promise<PostgresCluster> {
  const ends: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0).toReversed()) await end();
  };
  try {
    const server = await startPostgres({ settings });
    ends.push(() => server.stop());
    const primary = { name: "node_a", server };
    const standbys: Standby[] = [];
    for (let index = 0; index < count; index += 1) {
      standbys.push(await startStandby(primary, `node_${"bcdefgh"[index]}`, { settings, ends }));
    }
    await streamTo(primary, count);
    let isPartitioned = false;
    const proxy = await startPostgresProxy(server.url, { fateOf: () => (isPartitioned ? "lose" : "pass") });
    ends.push(() => proxy.close());
    return {
      primary,
      standbys,
      url: proxy.url,
      partition: (next) => {
        isPartitioned = next;
      },
      lead: (to) => {
        proxy.repoint(to.server.url);
        proxy.cut();
      },
      waitFor: async (names) => {
        await ask(primary, `alter system set synchronous_standby_names = '${names}'`);
        await ask(primary, "select pg_reload_conf()");
      },
      promote: async (node) => {
        await ask(node, "select pg_promote(true, 60)");
      },
      mostAdvanced: () => mostAdvanced(standbys),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Following {
  readonly settings: Readonly<Record<string, string>>;
  readonly ends: (() => Promise<void>)[];
}

/** Each standby has its own proxy to the primary. To pause the standby instead would not do: it would read its buffers later. */
async function startStandby(primary: ClusterNode, name: string, { settings, ends }: Following): Promise<Standby> {
  let isHeldBack = false;
  const link: PostgresProxy = await startPostgresProxy(primary.server.url, {
    fateOf: () => (isHeldBack ? "lose" : "pass"),
  });
  ends.push(() => link.close());
  const folder = mkdtempSync(join(tmpdir(), `chainwright-${name}-`));
  ends.push(async () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  await copyData(primary.server, { folder, slot: name });
  const { port } = new URL(link.url);
  const server = await startPostgres({
    dataDir: folder,
    settings: {
      ...settings,
      primary_conninfo: `host=127.0.0.1 port=${port} user=postgres application_name=${name}`,
      primary_slot_name: name,
    },
  });
  ends.push(() => server.stop());
  return {
    name,
    server,
    holdBack: () => {
      isHeldBack = true;
    },
  };
}

async function copyData(
  server: Server,
  { folder, slot }: { readonly folder: string; readonly slot: string },
): Promise<void> {
  const program = join(server.origin, "pg_basebackup");
  if (!existsSync(program)) throw new BackendMissingError("postgres", [`no pg_basebackup at ${server.origin}`]);
  const identity = unprivilegedIdentity();
  give(folder, identity);
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  give(data, identity);
  const how = ["--checkpoint=fast", "--no-sync", "--write-recovery-conf", "--create-slot", `--slot=${slot}`];
  await run(program, ["-D", data, "-d", server.url, ...how], { ...identity, cwd: folder });
}

async function streamTo(primary: ClusterNode, count: number): Promise<void> {
  for (const until = Date.now() + 30_000; Date.now() < until; await delay(20)) {
    const [row] = await ask(primary, "select count(*) from pg_stat_replication where state = 'streaming'");
    if (Number(row?.["count"]) === count) return;
  }
  throw new Error(`every standby must stream from ${primary.name}; some do not. See the logs of the servers.`);
}

async function mostAdvanced(standbys: readonly Standby[]): Promise<Standby> {
  const received = await Promise.all(
    standbys.map(async (standby) => {
      const [row] = await ask(standby, "select coalesce(pg_last_wal_receive_lsn(), '0/0') - '0/0'::pg_lsn as bytes");
      return { standby, bytes: Number(row?.["bytes"]) };
    }),
  );
  const [first] = received.toSorted((left, right) => right.bytes - left.bytes);
  if (first === undefined) throw new Error("the cluster must have a standby; it has none");
  return first.standby;
}

async function ask({ server }: ClusterNode, text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client({ connectionString: server.url });
  // A server may end while it closes the connection.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
