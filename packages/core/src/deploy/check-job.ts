import type { Engine } from "../engine/engine.ts";
import type { JobRecord, WorkerRecord } from "../model/record.ts";
import { whyJobUnreadable } from "../operations/why-job-unreadable.ts";
import { isServed, type Code } from "./code.ts";
import type { Tally } from "./tally.ts";

/** What jobs are compared with. */
export interface Known {
  readonly engine: Engine;
  readonly code: Code;
  /** The workers that are alive. */
  readonly workers: readonly WorkerRecord[];
  readonly tally: Tally;
}

/** Checks one open job. */
export async function checkJob(job: JobRecord, known: Known): Promise<void> {
  const { code } = known;
  if (!isServed(code, job.typeName)) return;
  checkPool(job, known);
  const processor = code.processors.get(job.typeName);
  if (processor === undefined) {
    checkVersion(job, known);
    return;
  }
  await checkPayloads(job, known);
  const { maxAttempts } = processor.retry;
  const waits = job.status === "ready" || job.status === "scheduled";
  if (waits && job.attempt >= maxAttempts) known.tally.add(job, "fewer-attempts", { maxAttempts });
}

async function checkPayloads(job: JobRecord, { engine, tally }: Known): Promise<void> {
  const error = await whyJobUnreadable(engine, job, undefined);
  if (error === undefined) return;
  const { payload, typeName, version } = error.stored;
  const unreadable = payload === "input" ? "input-unreadable" : "output-unreadable";
  const { newestInput, newestOutput } = engine.types.versions;
  const newest = (payload === "input" ? newestInput : newestOutput)(typeName);
  const details = { payload, typeName, version, newest, reason: error.reason };
  tally.add(job, error.why === "newer-version" ? "newer-version" : unreadable, details);
}

function checkPool(job: JobRecord, { code, workers, tally }: Known): void {
  const { pool, typeName } = job;
  if (code.processors.has(typeName) && code.pools.has(pool)) return;
  const served = workers.filter((worker) => worker.typeNames.includes(typeName));
  // Another program may have no worker at this moment, and then it is not known which pools it serves.
  if (served.length === 0 && !code.processors.has(typeName)) return;
  if (served.some(({ pools }) => pools.includes(pool ?? null))) return;
  tally.add(job, "unserved-pool", { pool: pool ?? null });
}

/** Of a type that another program serves. */
function checkVersion(job: JobRecord, { workers, tally }: Known): void {
  const newest = workers
    .filter(({ typeNames }) => typeNames.includes(job.typeName))
    .map(({ versions }) => versions[job.typeName] ?? 1);
  if (newest.length === 0 || newest.some((version) => version >= job.version)) return;
  tally.add(job, "unserved-version", { version: job.version, newest: Math.max(...newest) });
}
