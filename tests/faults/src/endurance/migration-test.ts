import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startPostgres } from "@chainwright/backends";
import { Client, Pool } from "pg";
import type { Against } from "../attack/children.ts";
import { openCrew } from "../rolling/crew.ts";
import { readSaid, type Said, type Span } from "../rolling/evidence.ts";
import { installLastRelease } from "../rolling/last-release.ts";
import { operatorOf, type Operated } from "../rolling/operate.ts";
import { examine } from "../rolling/examiner.ts";
import { fillHistory, fillOpenJobs } from "./history.ts";
import { createStopwatch, noSpread } from "./stopwatch.ts";
import { watchLocks } from "./table-locks.ts";

export interface MigrationOptions {
  readonly historyRows: number;
  readonly openRows: number;
  /** How long exchanges are measured before the migration. */
  readonly beforeMs: number;
  /** Whether the limits of times apply as well. */
  readonly isTimed: boolean;
  readonly against: Against;
  readonly dataDir: string | undefined;
  readonly log: (line: string) => void;
}

export const migrationLengths = {
  short: { historyRows: 20_000, openRows: 2_000, beforeMs: 1_000, isTimed: false },
  full: { historyRows: 10_000_000, openRows: 100_000, beforeMs: 20_000, isTimed: true },
} as const;

const longestLockMs = 500;
const longestExchangeMs = 1_000;
const [processes, team] = [4, { workers: 25, slots: 2 }];
const orders = { connections: 30, leaseMs: 30_000, delayMs: 5, rate: 50, backlog: 1_000_000, keys: 40 };

/** The files of the tables, and their indexes: a table that is rewritten gets another file. */
const filesOfTables = `select c.relname || ' ' || pg_relation_filenode(c.oid) || ' ' ||
    (select coalesce(string_agg(i.indexrelid::regclass::text, ' ' order by i.indexrelid), '') from pg_index i where i.indrelid = c.oid) as file
  from pg_class c where c.relnamespace = 'chainwright'::regnamespace and c.relkind = 'r'`;

/** Migrates a large store of the last release while its workers exchange. Returns a sentence for each limit that is exceeded. */
export async function runMigrationTest(options: MigrationOptions): Promise<readonly string[]> {
  const { dataDir, isTimed } = options;
  const folder = mkdtempSync(join(tmpdir(), "chainwright-migration-"));
  const server = await startPostgres({
    ...(dataDir !== undefined && { dataDir }),
    settings: {
      fsync: "off",
      max_connections: "300",
      max_wal_size: "4GB",
      shared_buffers: isTimed ? "512MB" : "128MB",
    },
  });
  const pool = new Pool({ connectionString: server.url, max: 4 });
  // The server may stop while idle connections are closing; an "error" that no one listens to ends the process.
  pool.on("error", () => undefined);
  try {
    return await migrateUnderWork(server.url, pool, folder, options);
  } finally {
    await pool.end();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** What was seen while the migration ran. */
interface Seen {
  readonly migration: Operated;
  /** Milliseconds for which each table had a strong lock. */
  readonly locks: ReadonlyMap<string, number>;
  /** Tables that were rewritten, or have another index. */
  readonly rewritten: readonly string[];
  /** The time before the migration. */
  readonly before: Span;
  readonly said: Said;
}

async function migrateUnderWork(
  url: string,
  pool: Pool,
  folder: string,
  options: MigrationOptions,
): Promise<readonly string[]> {
  const { historyRows, openRows, against, log } = options;
  const place = { kind: "postgres", url } as const;
  const programs = {
    last: installLastRelease(join(folder, "last-release")),
    this: join(import.meta.dirname, "../rolling/release"),
  };
  const operate = operatorOf(programs, place, against);
  await operate("last", "migrate");
  await fillHistory(pool, historyRows, log);
  await fillOpenJobs(pool, openRows);
  const examiner = examine(place);
  await examiner.prepare();
  await examiner.close();

  const journals = join(folder, "journals");
  mkdirSync(journals);
  const crew = openCrew({ place, folder: journals, programs, against, orders });
  const watcher = new Client({ connectionString: url });
  try {
    await watcher.connect();
    await Promise.all([
      crew.join("starter", "last"),
      ...Array.from({ length: processes }, () => crew.join("worker", "last", team)),
    ]);
    const began = Date.now();
    await delay(options.beforeMs);
    const before = { began, ended: Date.now() };
    const files = await filesIn(pool);
    const watch = watchLocks(watcher);
    const migration = await operate("this", "migrate");
    const locks = await watch.end();
    const rewritten = missingFrom(await filesIn(pool), files);
    await delay(options.beforeMs / 4);
    await crew.stop([...crew.members("starter", "last"), ...crew.members("worker", "last")]);
    return exceededBy({ migration, locks, rewritten, before, said: readSaid(crew.journals()) }, options);
  } finally {
    crew.killAll();
    await watcher.end();
  }
}

/** A sentence for each limit that is exceeded. */
function exceededBy({ migration, locks, rewritten, before, said }: Seen, { isTimed, log }: MigrationOptions): string[] {
  const { statements, began, ended, refused } = migration;
  const [usual, during] = [exchangesIn(said, before), exchangesIn(said, { began, ended })];
  log(`${statements} statements in ${ended - began} ms`);
  for (const [lock, ms] of locks) log(`${lock} for ${Math.round(ms)} ms`);
  log(`exchanges of over 10 ms before it: ${usual.count}, the longest ${usual.most} ms (p99 ${usual.p99} ms)`);
  log(`exchanges of over 10 ms while it ran: ${during.count}, the longest ${during.most} ms`);
  const longest = Math.max(0, ...locks.values());
  const exceeded = [
    ...rewritten.map((file) => `the migration rewrote a table or built an index on it: ${file}`),
    ...said.troubles.map((each) => `a process of the last release met an error: ${each}`),
  ];
  if (refused !== undefined) exceeded.push(`the migration was refused: ${refused}`);
  if (isTimed && longest > longestLockMs) {
    exceeded.push(`a lock was held for ${Math.round(longest)} ms; at most ${longestLockMs}`);
  }
  if (isTimed && during.most > longestExchangeMs) {
    exceeded.push(`an exchange took ${during.most} ms; at most ${longestExchangeMs}`);
  }
  return exceeded;
}

function exchangesIn({ slowExchanges }: Said, span: Span) {
  const stopwatch = createStopwatch();
  for (const { began, ended } of slowExchanges) {
    if (began <= span.ended && ended >= span.began) stopwatch.note("exchange", ended - began);
  }
  return stopwatch.take().get("exchange") ?? noSpread;
}

async function filesIn(pool: Pool): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ file: string }>(filesOfTables);
  return new Set(rows.map(({ file }) => file));
}

function missingFrom(after: ReadonlySet<string>, before: ReadonlySet<string>): readonly string[] {
  return [...before].filter((file) => !after.has(file));
}
