import type { Mutant } from "../mutant.ts";

/** What `retry.when` decides, and what happens if it makes a mistake. */
export const retryByErrorMutants: readonly Mutant[] = [
  {
    name: "retry by error: a throw in retry.when does not fail the job",
    in: "core:decideRetry",
    find: 'threw an error.`, cause));\n    return "retry";',
    replace: 'threw an error.`, cause));\n    return "fail";',
  },
  {
    name: "retry by error: a throw in retry.when is reported",
    in: "core:decideRetry",
    find: "reportMistake(mistakeOf(`${what} threw an error.`, cause));",
    replace: "",
  },
  {
    name: "retry by error: what is no decision is reported",
    in: "core:decideRetry",
    find: "reportMistake(mistake);",
    replace: "",
  },
  {
    name: "retry by error: what is no decision does not fail the job",
    in: "core:decideRetry",
    find: 'reportMistake(mistake);\n    return "retry";',
    replace: 'reportMistake(mistake);\n    return "fail";',
  },
  {
    name: "retry by error: a promise that rejects does not end the process",
    in: "core:quietenPromise",
    find: "void Promise.prototype.then.call(value, undefined, () => undefined);",
    replace: "void Promise.prototype.then.call(value);",
  },
  {
    name: "retry by error: a delay is a number",
    in: "core:readDecision",
    find: "checkDuration(afterMs, `afterMs of ${what}`)",
    replace: "afterMs",
  },
  {
    name: "retry by error: a misspelt option of a delay is reported",
    in: "core:readDecision",
    find: "checkKeys(decision, delayKeys, `the object that ${what} returned`);",
    replace: "",
  },
  {
    name: "retry by error: an attempt without a count gives its number back",
    in: "core:readDecision",
    find: "shortestUncountedMs), counted: false }",
    replace: "shortestUncountedMs), counted: true }",
  },
  {
    name: "retry by error: a loop of attempts without a count does not spin",
    in: "core:readDecision",
    find: "Math.max(delayMs, shortestUncountedMs)",
    replace: "delayMs",
  },
  {
    name: "retry by error: the last attempt may be without a count",
    in: "core:fateOf",
    find: 'if (verdict !== "retry" && !verdict.counted)',
    replace: 'if (verdict !== "retry" && !verdict.counted && attempt < maxAttempts)',
  },
  {
    name: "retry by error: FatalError is not asked about",
    in: "core:fateOf",
    find: "if (isFatal(error)) return failing;\n  const verdict = decideRetry({ processor, attempt, error }, reportMistake);",
    replace:
      "const verdict = decideRetry({ processor, attempt, error }, reportMistake);\n  if (isFatal(error)) return failing;",
  },
  {
    name: "retry by error: a timeout is asked about once",
    in: "core:failedResult",
    find: 'stopReason?.code === "timeout" ? undefined : failureOutcome(engine.clock, failed, error);',
    replace: "failureOutcome(engine.clock, failed, error);",
  },
  {
    name: "retry by error: events name what decided",
    in: "core:lastFailure",
    find: "...(decidedBy && { decidedBy })",
    replace: "",
  },
  {
    name: "retry by error: errors without a count push out no others",
    in: "core:appendAttemptError",
    find: "last?.uncounted === true && last.attempt === attempt",
    replace: "last?.uncounted === true && last.attempt > attempt",
  },
  {
    name: "retry by error: an error without a count is no report of its attempt",
    in: "core:lastReported",
    find: " && uncounted !== true",
    replace: "",
  },
];
