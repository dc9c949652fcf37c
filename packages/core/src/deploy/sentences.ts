import { show } from "../checks/check-options.ts";
import type { Found } from "./report.ts";
import type { Affected, JobProblem } from "./tally.ts";

/** The beginning of a sentence: `12 open jobs of "mail.send" have`. */
export function jobsOf(count: number, typeName: string): string {
  return count === 1 ? `1 open job of "${typeName}" has` : `${count} open jobs of "${typeName}" have`;
}

type Details = Readonly<Record<string, unknown>>;

/** What the jobs have, and what to do. */
const sentences: Readonly<Record<JobProblem, (details: Details) => string>> = {
  "input-unreadable": ({ reason }) =>
    `an input that this code cannot read: ${String(reason)}. Accept it, or add a step to the versions of the type.`,
  "output-unreadable": ({ reason }) =>
    `a completed blocker whose output this code cannot read: ${String(reason)}. Accept it, or add a step to the versions of that type.`,
  "newer-version": ({ reason }) =>
    `a value that this code cannot read: ${String(reason)}. Keep all steps of the versions that were deployed.`,
  "unserved-pool": ({ pool }) =>
    `the pool ${show(pool)}, which neither this code nor a live worker serves: give a worker pools: [${show(pool)}].`,
  "unserved-version": ({ version, newest }) =>
    `an input of version ${show(version)}, and the live workers of that type know versions up to ${show(newest)}.`,
  "fewer-attempts": ({ maxAttempts }) =>
    `used all ${show(maxAttempts)} attempts that this code allows: they fail at their next claim. Raise retry.maxAttempts, or expect that.`,
};

export function sentenceOf({ code, typeName, details, count, jobs }: Affected): Found {
  return { code, typeName, details, count, jobs, message: `${jobsOf(count, typeName)} ${sentences[code](details)}` };
}
