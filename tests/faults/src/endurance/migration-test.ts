import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Against } from "../attack/children.ts";
import { openCrew } from "../rolling/crew.ts";
import { readSaid, type Said, type Span } from "../rolling/evidence.ts";
import { examine } from "../rolling/examiner.ts";
import { installLastRelease } from "../rolling/last-release.ts";
import { operatorOf, type Operated } from "../rolling/operate.ts";
import type { OpenMigratedStore, MigratedStore } from "./migrated-store.ts";
import { createStopwatch, noSpread } from "./stopwatch.ts";

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

/** Migrates a large store of the last release while its workers exchange. Returns a sentence for each limit that is exceeded. */
export async function runMigrationTest(
  openStore: OpenMigratedStore,
  options: MigrationOptions,
): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-migration-"));
  const store = await openStore(folder, options);
  try {
    return await migrateUnderWork(store, folder, options);
  } finally {
    await store.close();
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
  store: MigratedStore,
  folder: string,
  { against, beforeMs, ...options }: MigrationOptions,
): Promise<readonly string[]> {
  const programs = {
    last: installLastRelease(join(folder, "last-release")),
    this: join(import.meta.dirname, "../rolling/release"),
  };
  const { place } = store;
  const operate = operatorOf(programs, place, against);
  await operate("last", "migrate");
  await store.fill(options);
  const examiner = examine(place);
  await examiner.prepare();
  await examiner.close();

  const journals = join(folder, "journals");
  mkdirSync(journals);
  const crew = openCrew({ place, folder: journals, programs, against, orders });
  try {
    await Promise.all([
      crew.join("starter", "last"),
      ...Array.from({ length: processes }, () => crew.join("worker", "last", team)),
    ]);
    const began = Date.now();
    await delay(beforeMs);
    const before = { began, ended: Date.now() };
    const files = await store.layout();
    const watch = await store.watchLocks();
    const migration = await operate("this", "migrate");
    const locks = await watch.end(migration);
    const rewritten = missingFrom(await store.layout(), files);
    await delay(beforeMs / 4);
    await crew.stop([...crew.members("starter", "last"), ...crew.members("worker", "last")]);
    return exceededBy({ migration, locks, rewritten, before, said: readSaid(crew.journals()) }, options);
  } finally {
    crew.killAll();
  }
}

/** A sentence for each limit that is exceeded. */
function exceededBy(
  { migration, locks, rewritten, before, said }: Seen,
  { isTimed, log }: Pick<MigrationOptions, "isTimed" | "log">,
): string[] {
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

function missingFrom(after: ReadonlySet<string>, before: ReadonlySet<string>): readonly string[] {
  return [...before].filter((file) => !after.has(file));
}
