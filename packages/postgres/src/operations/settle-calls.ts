import { hasVersionedOutput, namesSuffix, outputsSuffix, versionedOutput } from "../claim-names.ts";
import { claimName, type JobStart, type Outcome, type Schedule } from "chainwright/adapter";
import { storedCompensation } from "../ends/stored-ends.ts";
import { flatten, noStarts, startParameters } from "../flat-starts.ts";
import type { FunctionCall } from "../store.ts";
import { addEnd, endsCall, noEnds } from "./many-ends.ts";

/** The calls that settle outcomes, to be made in this order. */
export function settleCalls(outcomes: readonly Outcome[]): readonly FunctionCall[] {
  const [only] = outcomes;
  const call = outcomes.length === 1 && only !== undefined ? oneCall(only) : undefined;
  return call === undefined ? manyCalls(outcomes) : [call];
}

/** The call of a function for one outcome; undefined if there is none for its kind. */
function oneCall(outcome: Outcome): FunctionCall | undefined {
  const { target } = outcome;
  if (!("jobId" in target) || outcome.kind === "deferred") return undefined;
  const fence = [target.jobId, target.workerId, String(target.fence)];
  if (outcome.kind === "completed") {
    const name = `settle_one${outputsSuffix(hasVersionedOutput(outcome))}_v1`;
    return { name, parameters: [...fence, "1", versionedOutput(outcome), null] };
  }
  if (outcome.kind === "failed") return { name: "settle_one_v1", parameters: [...fence, "2", null, outcome.errors] };
  if (isStarted(outcome.next) || outcome.compensation !== undefined) return undefined;
  const flat = noStarts();
  flatten(flat, outcome.next, 0);
  const name = `continue_one${namesSuffix(flat.named)}_v1`;
  return { name, parameters: [...fence, ...flat.starts.flatMap(startParameters)] };
}

/**
 * Outcomes that end jobs and chains have a call of their own, before that of the others. Continuations are settled together with
 * them, because a call locks the chains that it writes in one order.
 */
function manyCalls(outcomes: readonly Outcome[]): readonly FunctionCall[] {
  const ends = noEnds();
  const others: [number, Outcome][] = [];
  for (const [n, outcome] of outcomes.entries()) {
    if (!addEnd(ends, outcome, n)) others.push([n, outcome]);
  }
  const areApart = ends.id.length > 1 && others.every(([, { kind }]) => kind === "deferred");
  if (!areApart) return [manyCall(outcomes.entries(), null)];
  return others.length === 0 ? [endsCall(ends)] : [endsCall(ends), manyCall(others, null)];
}

/** The call of `settle_v1` for numbered outcomes. `free`: "1" settles only those whose rows no one else has locked. */
export function manyCall(outcomes: Iterable<readonly [number, Outcome]>, free: "1" | null): FunctionCall {
  const [fenced, steps, deferred] = [[] as object[], [] as object[], [] as object[]];
  const flat = noStarts();
  for (const [n, outcome] of outcomes) {
    if (outcome.kind === "continued" && isStarted(outcome.next)) flatten(flat, outcome.next, n);
    const record = { n, ...targetOf(outcome), ...contentOf(outcome) };
    if (outcome.kind === "deferred") deferred.push(record);
    else if ("jobId" in outcome.target) fenced.push(record);
    else steps.push(record);
  }
  return {
    name: "settle_v1",
    parameters: [
      textOf(fenced),
      String(fenced.length),
      textOf(deferred),
      textOf(steps),
      textOf(flat.starts),
      flat.starts.length === 0 ? null : JSON.stringify(flat.blockers),
      free,
    ],
  };
}

/** Whether a continuation is written like a start: it waits for blockers or signals, or is under limits. */
export function isStarted({ blockers, limits, waits }: JobStart): boolean {
  return blockers.length > 0 || limits !== undefined || waits !== undefined;
}

function textOf(records: readonly object[]): string | null {
  return records.length === 0 ? null : JSON.stringify(records);
}

function targetOf({ target }: Outcome): object {
  return "jobId" in target
    ? { id: target.jobId, worker: target.workerId, fence: target.fence }
    : { chain: target.chainId, step: target.typeName };
}

function contentOf(outcome: Outcome): object {
  switch (outcome.kind) {
    case "completed":
      return { status: 1, output: versionedOutput(outcome) };
    case "failed":
      return { status: 2, errors: outcome.errors };
    case "deferred":
      return { ...scheduleOf(outcome.schedule), uncounted: outcome.counted ? 0 : 1, errors: outcome.errors };
    case "continued": {
      const { next } = outcome;
      const compensation = outcome.compensation && storedCompensation(outcome.compensation);
      if (isStarted(next)) return { status: 1, next: next.id, compensation };
      const { input, priority, context } = next;
      const wait = next.onBlockerFailure === "wait" ? 1 : undefined;
      return {
        status: 1,
        next: next.id,
        type: claimName(next),
        input,
        priority,
        ...scheduleOf(next.schedule),
        wait,
        context,
        compensation,
      };
    }
  }
}

function scheduleOf(schedule: Schedule | undefined): object {
  if (schedule === undefined) return {};
  return "at" in schedule ? { at: schedule.at } : { after: schedule.afterMs };
}
