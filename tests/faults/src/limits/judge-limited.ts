import type { Examiner, StorePlace } from "../store/open-store.ts";
import { examineStore } from "../store/place.ts";
import { rate } from "./job-types.ts";
import { countTakeOvers, findBursts, findOverlaps, isWitnessed, type Lease } from "./judge-leases.ts";
import type { LimitedClient } from "./start-limited.ts";

/** What was found. */
export interface LimitedReport {
  readonly wrong: readonly string[];
  readonly jobs: number;
  /** Lines of the log: jobs that were leased, were put back or ended. */
  readonly logged: number;
  /** Leases of jobs whose worker had died. */
  readonly takeOvers: number;
  /** How often breakers have opened. */
  readonly openings: number;
}

interface Ended {
  readonly place: StorePlace;
  readonly client: LimitedClient;
  /** How many jobs were started. */
  readonly started: number;
}

/** Checks a store in which all jobs should have completed, one at a time of each key. */
export async function judgeLimited({ place, client, started }: Ended): Promise<LimitedReport> {
  const examiner = await examineStore(place);
  const leases = await readLeases(examiner);
  const runs = await examiner.rows("select job_id, key, is_open, ends from limited_span");
  const openings = await countOpenings(examiner);
  const doubled = await examiner.rows("select gate, before, probe from limited_breaker where what = 'two probes'");
  const jobs = (await examiner.rows("select id, type, status from fault_job")).map((row) => row.map(String));
  await examiner.close();
  const written = new Set(runs.map(([id]) => String(id)));
  const wrong = [
    ...findOverlaps(leases),
    ...findBursts(leases, rate),
    ...doubled.map(
      ([gate, before, probe]) => `${String(gate)}: ${String(probe)} began while ${String(before)} was leased`,
    ),
    ...jobs.filter(([, , status]) => status !== "completed").map((job) => `not completed: ${job.join(" ")}`),
    ...jobs
      .filter(([id = "", type = ""]) => isWitnessed(type) && !written.has(id))
      .map(([id]) => `${id} completed without a row of the application`),
    ...runs
      .filter(([, , isOpen, ends]) => Number(isOpen) !== 0 || Number(ends) !== 1)
      .map(([id, key, , ends]) => `${String(key)}: ${String(id)} has ended ${String(ends)} times`),
    ...(await findRemains(client)),
  ];
  if (jobs.length !== started) wrong.push(`${jobs.length} jobs of ${started} are in the store`);
  return {
    wrong: wrong.slice(0, 20),
    jobs: jobs.length,
    logged: leases.length,
    takeOvers: countTakeOvers(leases),
    openings,
  };
}

/** Returns how often kills and failures have met what the limits are for, so far. */
export async function countMet(place: StorePlace): Promise<Pick<LimitedReport, "takeOvers" | "openings">> {
  const examiner = await examineStore(place);
  const met = { takeOvers: countTakeOvers(await readLeases(examiner)), openings: await countOpenings(examiner) };
  await examiner.close();
  return met;
}

async function readLeases(examiner: Examiner): Promise<readonly Lease[]> {
  const rows = await examiner.rows("select job_id, type, key, what, attempt, at from limited_lease order by n");
  return rows.map(leaseOf);
}

async function countOpenings(examiner: Examiner): Promise<number> {
  return (await examiner.rows("select n from limited_breaker where what = 'opened'")).length;
}

/** The places that are taken and the jobs that wait, though no job is open, and what the doctor finds. */
async function findRemains(client: LimitedClient): Promise<readonly string[]> {
  const remains: string[] = [];
  let after: string | undefined;
  do {
    const { items, nextCursor } = await client.listLimits({ cursor: after, pageSize: 200 });
    for (const { limit, key, running, waiting } of items)
      if (running + waiting > 0) remains.push(`${limit} of ${key}: ${running} run and ${waiting} wait`);
    after = nextCursor;
  } while (after !== undefined);
  const { findings } = await client.doctor();
  return [...remains, ...findings.map(({ kind, problem }) => `the doctor found ${kind}: ${problem}`)];
}

function leaseOf([jobId, type, key, what, attempt, at]: readonly unknown[]): Lease {
  return {
    jobId: String(jobId),
    type: String(type),
    key: String(key),
    what: what as Lease["what"],
    attempt: attempt === null ? undefined : Number(attempt),
    at: at === null ? undefined : Number(at),
  };
}
