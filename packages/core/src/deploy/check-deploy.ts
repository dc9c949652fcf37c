import { engineOf } from "../client/internal.ts";
import type { Engine } from "../engine/engine.ts";
import type { JobRecord } from "../model/record.ts";
import { openJobStatuses } from "../model/status.ts";
import type { JobCount } from "../ports/query.ts";
import { findMissingLimits } from "./missing-limits.ts";
import { checkJob } from "./check-job.ts";
import { checkSchedules } from "./check-schedules.ts";
import { checkSchema } from "./check-schema.ts";
import { checkTypes } from "./check-types.ts";
import { codeOf, isServed, type CheckDeployOptions, type Code } from "./code.ts";
import { openJobs } from "./open-jobs.ts";
import { reportOf, type DeployReport, type Found } from "./report.ts";
import { jobsOf, sentenceOf } from "./sentences.ts";
import { createTally, mostExamples, type Tally } from "./tally.ts";

/**
 * Checks a deployment before it is made: whether the code can run all jobs that are in flight. It reads the open jobs of the store in
 * pages, and writes nothing.
 *
 * A report without errors means that after the deployment of this code, and of nothing else, no job waits unserved or unreadable. With
 * a `sample` that holds for the jobs that were read.
 *
 * @throws `invalid-input` for unknown or invalid options, and for processors of another client; errors of the store
 * @example
 * const { findings, ok } = await checkDeploy({ client, processors: [orderProcessors, mailProcessors], sample: "all" });
 * for (const { level, message } of findings) console.log(`${level}: ${message}`);
 * if (!ok) process.exitCode = 1;
 */
export async function checkDeploy(options: CheckDeployOptions): Promise<DeployReport> {
  const engine = engineOf(options.client);
  const code = codeOf(engine, options);
  const schema = checkSchema(await engine.state.schema());
  // Nothing can be read from a store without the present tables.
  if (schema.some((found) => found.code === "schema-behind")) return reportOf(schema);
  const open = openCounts(await engine.state.count(engine.callOptions()));
  const tally = createTally();
  const readJobs = await checkJobs(engine, code, open, tally);
  const found = [
    ...schema,
    ...(await findUnhandled(engine, code, open)),
    ...checkTypes(open, code),
    ...(await findMissingLimits(engine)),
    ...tally.all().map(sentenceOf),
    ...(await checkSchedules(engine, code)),
  ];
  return reportOf(found, {
    openJobs: [...open.values()].reduce((left, right) => left + right, 0),
    readJobs,
  });
}

/** The types that no one serves, with some of their jobs. */
async function findUnhandled(engine: Engine, code: Code, open: ReadonlyMap<string, number>): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const [typeName, count] of open) {
    if (isServed(code, typeName)) continue;
    const examples: JobRecord[] = [];
    for await (const page of openJobs(engine, typeName, mostExamples)) examples.push(...page);
    const jobs = examples.map(({ id, chainId }) => ({ id, chainId }));
    const message = `${jobsOf(count, typeName)} no processor in this code: keep it until they have ended, or name the type in servedElsewhere.`;
    found.push({ code: "no-processor", typeName, message, count, jobs });
  }
  return found;
}

/** Returns how many jobs it read. */
async function checkJobs(engine: Engine, code: Code, open: ReadonlyMap<string, number>, tally: Tally): Promise<number> {
  const workers = await engine.state.listWorkers(engine.callOptions());
  let count = 0;
  // All jobs are read in one walk: a walk for each type reads the index once for each.
  const walks = code.sample === Infinity ? [undefined] : [...open.keys()];
  for (const typeName of walks) {
    for await (const page of openJobs(engine, typeName, code.sample)) {
      for (const job of page) await checkJob(job, { engine, code, workers, tally });
      count += page.length;
      await engine.clock.yield();
    }
  }
  return count;
}

function openCounts(counts: readonly JobCount[]): ReadonlyMap<string, number> {
  const open = new Map<string, number>();
  for (const { typeName, status, count } of counts) {
    if (count > 0 && openJobStatuses.includes(status)) open.set(typeName, (open.get(typeName) ?? 0) + count);
  }
  return open;
}
