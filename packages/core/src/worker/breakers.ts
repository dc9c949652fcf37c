import { invalid, show } from "../checks/check-options.ts";
import type { Engine } from "../engine/engine.ts";
import { ChainwrightError } from "../model/error.ts";
import type { BreakerRule, DefinedBreaker, DefinedLimit } from "../model/limit.ts";
import type { LimitChange } from "../ports/limit.ts";
import type { Attempt, AttemptResult } from "./attempt.ts";
import type { EndedAttempt } from "./sent-outcome.ts";
import { isUnreadable } from "./failure-outcome.ts";
import { writeLimits } from "./write-limits.ts";

/** An attempt that has ended, with what takes mistakes of `breaker.counts`. */
type Told = EndedAttempt & Pick<Attempt, "reportMistake">;

type Report = Extract<LimitChange, { readonly kind: "failed" | "succeeded" }>;

/**
 * Tells the breakers of a job's limits how its attempt ended, before its outcome is handed in: while the job is leased, no other one can
 * be the probe, and the key is closed before the place is free. Undefined: there is nothing to tell, as for nearly all attempts.
 *
 * If the process dies in between, the failure counts, and the job runs again. If the store cannot be reached, it does not count. A report
 * may be written twice: the store counts each attempt once.
 */
export function tellBreakers(engine: Engine, attempt: Told, result: AttemptResult): Promise<void> | undefined {
  if (attempt.job.limits === undefined) return undefined;
  const reports = reportsOf(engine, attempt, result);
  return reports.length === 0 ? undefined : write(engine, attempt.fence.workerId, reports);
}

function reportsOf({ types }: Engine, attempt: Told, result: AttemptResult): readonly Report[] {
  const { limits: own = [], id: jobId, fence } = attempt.job;
  const how = howItEnded(result);
  return own.flatMap(({ limit, key, isProbe }): readonly Report[] => {
    const breaker = breakerOf(types.limits.all, limit);
    if (how === "succeeded") {
      // A job that was leased before may be a probe that this worker took over.
      const mayBeProbe = isProbe === true || (breaker !== undefined && fence > 1);
      return mayBeProbe ? [{ kind: "succeeded", limit, key, jobId }] : [];
    }
    if (how !== "failed" || breaker === undefined) return [];
    if (!counts({ name: limit, breaker }, result.error, attempt)) return [];
    return [{ kind: "failed", limit, key, jobId, fence, breaker: numbersOf(breaker) }];
  });
}

/** Undefined: neither. It was put off, stopped or handed back, has lost its lease, or its input could not be read. */
function howItEnded({ outcome, error, lost }: AttemptResult): "succeeded" | "failed" | undefined {
  if (outcome === undefined) return error === undefined && lost === undefined ? "succeeded" : undefined;
  if (outcome.kind === "completed" || outcome.kind === "continued") return "succeeded";
  return outcome.errors === undefined || isUnreadable(error) ? undefined : "failed";
}

interface Broken {
  readonly name: string;
  readonly breaker: DefinedBreaker;
}

/** An error for which `counts` throws is not counted. */
function counts({ name, breaker }: Broken, error: unknown, { reportMistake }: Told): boolean {
  let cause: unknown;
  try {
    const counted = breaker.counts(error);
    if (typeof counted === "boolean") return counted;
    cause = invalid(`it must return true or false; got ${show(counted)}.`);
  } catch (thrown) {
    cause = thrown;
  }
  const message = `breaker.counts of the limit "${name}" did not return true or false. The failure does not count.`;
  reportMistake(new ChainwrightError("handler-result", message, { cause }));
  return false;
}

async function write(engine: Engine, workerId: string, reports: readonly Report[]): Promise<void> {
  const changed = await writeLimits(engine, workerId, reports);
  if (changed !== undefined) record(engine, reports, changed);
}

function record({ events }: Engine, reports: readonly Report[], changed: readonly boolean[]): void {
  for (const [index, report] of reports.entries()) {
    if (changed[index] !== true) continue;
    const { limit, key } = report;
    if (report.kind === "succeeded") events.record([{ type: "limit-closed", limit, key }], undefined);
    else events.record([{ type: "limit-opened", limit, key, openMs: report.breaker.openMs }], undefined);
  }
}

function breakerOf(limits: readonly DefinedLimit[], limit: string): DefinedBreaker | undefined {
  return limits.find(({ name }) => name === limit)?.breaker;
}

function numbersOf({ failures, withinMs, openMs }: DefinedBreaker): BreakerRule {
  return { failures, withinMs, openMs };
}
