import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createJournalStateAdapter } from "@chainwright/journal";
import { percentile } from "@chainwright/bench-measuring";
import { clientOf, startMany, type Client } from "./work.ts";

/** Values by their names. */
type Values = Readonly<Record<string, number>>;

const jobsOf = { full: 1_000_000, smoke: 2_000 };
const gibibyte = 2 ** 30;

/** Fills a folder with open jobs. It is not closed: the process ends with it, so the next one finds it as it is after a crash. */
export async function fill(folder: string, isSmoke: boolean): Promise<Values> {
  const stateAdapter = await createJournalStateAdapter({ folder, durability: { intervalMs: 10 } });
  const client = clientOf(stateAdapter);
  await startMany(client, isSmoke ? jobsOf.smoke : jobsOf.full);
  await client.close();
  return { megabytes: bytesIn(folder) / 1e6 };
}

/** Opens the folder: how long it takes, how fast it is read, and the memory of its jobs. */
export async function open(folder: string, isSmoke: boolean): Promise<Values> {
  globalThis.gc?.();
  const before = memory();
  const begunAt = performance.now();
  let read = { rows: 0, ms: 0 };
  const stateAdapter = await createJournalStateAdapter({
    folder,
    onProgress: ({ rows }) => {
      read = { rows, ms: performance.now() - begunAt };
    },
  });
  const openMs = performance.now() - begunAt;
  const cpu = process.cpuUsage();
  await settle();
  const jobs = isSmoke ? jobsOf.smoke : jobsOf.full;
  const values = {
    openSeconds: openMs / 1_000,
    readPerSecond: (read.rows / read.ms) * 1_000,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    rowsOfGibibyte: (jobs / (memory() - before)) * gibibyte,
  };
  await stateAdapter.close();
  return values;
}

const bigText = "x".repeat(10_000);

/** The pauses of the event loop while the store writes a snapshot of all its jobs, and while nothing happens. */
export async function snapshot(folder: string, isSmoke: boolean): Promise<Values> {
  const stateAdapter = await createJournalStateAdapter({ folder, durability: { intervalMs: 10 } });
  const client = clientOf(stateAdapter);
  await settle();
  const idle = await gapsDuring(() => new Promise((resolve) => setTimeout(resolve, isSmoke ? 50 : 2_000)));
  if (isSmoke) {
    await client.close();
    await stateAdapter.close();
    return pausesOf(idle, idle);
  }
  // Rows of many bytes make the log twice as large as the snapshot, so that the store takes the next one.
  const known = new Set(readdirSync(folder));
  while (newSnapshot(folder, known) === undefined) await startMany(client, 500, bigText);
  const busy = await gapsDuring(() => untilReplaced(folder, client));
  await client.close();
  await stateAdapter.close();
  return pausesOf(idle, busy);
}

function pausesOf(idle: readonly number[], busy: readonly number[]): Values {
  return {
    p999: percentile(busy, 0.999),
    max: percentile(busy, 1),
    turns: busy.length,
    seconds: busy.reduce((sum, gap) => sum + gap, 0) / 1_000,
    idleP999: percentile(idle, 0.999),
    idleMax: percentile(idle, 1),
  };
}

/** Starts a chain now and then until the old files are gone. */
async function untilReplaced(folder: string, client: Client): Promise<void> {
  const isThere = () => readdirSync(folder).filter((name) => /^(snap|log)-/.test(name)).length > 2;
  while (isThere()) {
    await startMany(client, 1);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Milliseconds between the turns of the event loop. */
async function gapsDuring(work: () => Promise<unknown>): Promise<readonly number[]> {
  const gaps: number[] = [];
  let isOver = false;
  let last = performance.now();
  const turn = (): void => {
    const now = performance.now();
    gaps.push(now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  return gaps;
}

function newSnapshot(folder: string, known: ReadonlySet<string>): string | undefined {
  return readdirSync(folder).find((name) => name.startsWith("snap-") && !known.has(name));
}

async function settle(): Promise<void> {
  for (let i = 0; i < 3; i += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function bytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
