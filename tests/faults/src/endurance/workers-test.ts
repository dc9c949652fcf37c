import { setTimeout as delay } from "node:timers/promises";
import { startPostgres } from "@chainwright/backends";
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createClient, defineJobTypes } from "chainwright";
import { Pool } from "pg";
import type { Against } from "../attack/children.ts";
import { runWorkers } from "./run-workers.ts";
import { createStopwatch, noSpread } from "./stopwatch.ts";
import type { Spread } from "./stopwatch.ts";

export interface WorkersOptions {
  readonly measuredMs: number;
  readonly processes: number;
  readonly workersPerProcess: number;
  /** Whether the limits of times apply as well. */
  readonly isTimed: boolean;
  readonly against: Against;
  readonly log: (line: string) => void;
}

const jobTypes = defineJobTypes<{ value: { entry: true; input: number; output: number } }>();
/** Started in the meantime, beside the jobs that wait from the beginning. */
const startEveryMs = 20;
const batch = 1_000;

interface Team {
  readonly schema: string;
  readonly processes: number;
  readonly workers: number;
  readonly slots: number;
  readonly connections: number;
}

interface TeamReport {
  readonly jobsPerSecond: number;
  readonly pagesPerJob: number;
  readonly start: Spread;
  readonly ranAgain: number;
  readonly deadlocks: number;
}

const members = { processes: 10, workersPerProcess: 20 };
export const workersLengths = {
  short: { ...members, measuredMs: 5_000, isTimed: false },
  full: { ...members, measuredMs: 60_000, isTimed: true },
} as const;

/** Many workers with one slot and one connection each, compared with one worker that has many slots. */
export async function runWorkersTest(options: WorkersOptions): Promise<readonly string[]> {
  const { processes, workersPerProcess, isTimed, log } = options;
  const server = await startPostgres({ settings: { fsync: "off", max_connections: "250" } });
  const pool = new Pool({ connectionString: server.url, max: 10 });
  try {
    const one = await measure(pool, server.url, options, {
      schema: "one",
      processes: 1,
      workers: 1,
      slots: 50,
      connections: 4,
    });
    log(lineOf("1 worker with 50 slots", one));
    const thin = { schema: "many", processes, workers: workersPerProcess, slots: 1, connections: 1 };
    const many = await measure(pool, server.url, options, thin);
    log(lineOf(`${processes * workersPerProcess} workers with 1 slot`, many));
    return [
      ...(many.deadlocks > 0 ? [`${many.deadlocks} deadlocks`] : []),
      ...(one.ranAgain + many.ranAgain > 0 ? [`${one.ranAgain + many.ranAgain} jobs ran again`] : []),
      ...(many.pagesPerJob > mostPages
        ? [`a job reads ${many.pagesPerJob.toFixed(0)} pages; at most ${mostPages}`]
        : []),
      ...(isTimed && many.jobsPerSecond < one.jobsPerSecond / 2 ? ["less than half the jobs per second"] : []),
      ...(isTimed && many.start.p99 > 250 ? [`a start took ${many.start.p99.toFixed(0)} ms (p99); at most 250`] : []),
    ];
  } finally {
    await pool.end();
    await server.stop();
  }
}

/** With 200 workers a claim skips the rows that up to 199 others have leased or locked. */
const mostPages = 1_000;

async function measure(
  pool: Pool,
  url: string,
  { measuredMs, against }: WorkersOptions,
  { schema, processes, workers, slots, connections }: Team,
): Promise<TeamReport> {
  const stateAdapter = createPostgresStateAdapter({ driver: pg(pool), schema });
  await stateAdapter.migrate();
  const client = createClient({ stateAdapter, jobTypes });
  const items = Array.from({ length: batch }, (_, input) => ({ typeName: "value", input }) as const);
  // More than two cores can run in this time.
  for (let started = 0; started < 15 * measuredMs; started += batch) await client.startChains({ items });
  const teams = await Promise.all(
    Array.from({ length: processes }, () => runWorkers({ url, schema, workers, slots, connections }, against)),
  );
  const stopwatch = createStopwatch();
  const before = await countsOf(pool, schema);
  const began = performance.now();
  while (performance.now() - began < measuredMs) {
    const startedAt = performance.now();
    await client.startChain({ typeName: "value", input: 0 });
    stopwatch.note("start", performance.now() - startedAt);
    await delay(startEveryMs);
  }
  const after = await countsOf(pool, schema);
  const seconds = (performance.now() - began) / 1_000;
  await Promise.all(teams.map((team) => team.stop()));
  await client.close();
  const ended = after.ended - before.ended;
  return {
    jobsPerSecond: ended / seconds,
    pagesPerJob: (after.pages - before.pages) / ended,
    start: stopwatch.take().get("start") ?? noSpread,
    ranAgain: after.ranAgain,
    deadlocks: after.deadlocks,
  };
}

async function countsOf(pool: Pool, schema: string) {
  const { rows } = await pool.query<Record<"ended" | "ranAgain" | "pages" | "deadlocks", string>>(
    `select count(*) filter (where status = 1) as ended, count(*) filter (where attempt > 1) as "ranAgain",
      (select heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read from pg_statio_user_tables
       where schemaname = $1 and relname = 'open_job') as pages,
      (select deadlocks from pg_stat_database where datname = current_database()) as deadlocks
    from ${schema}.job`,
    [schema],
  );
  const [row] = rows;
  return {
    ended: Number(row?.ended),
    ranAgain: Number(row?.ranAgain),
    pages: Number(row?.pages),
    deadlocks: Number(row?.deadlocks),
  };
}

function lineOf(name: string, { jobsPerSecond, pagesPerJob, start, ranAgain, deadlocks }: TeamReport): string {
  return (
    `${name}: ${Math.round(jobsPerSecond)} jobs a second, ${pagesPerJob.toFixed(0)} pages of open jobs read a job, ` +
    `start p50 ${start.p50.toFixed(1)} ms, p99 ${start.p99.toFixed(1)} ms; ${ranAgain} ran again, ${deadlocks} deadlocks`
  );
}
