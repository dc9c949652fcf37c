import type { Mutant } from "../mutant.ts";

/** What happens to attempts that fail, and how people are told. */
export const failureMutants: readonly Mutant[] = [
  {
    name: "failure: backoff",
    in: "core:failureOutcome",
    find: 'return { kind: "deferred", target: fence, schedule: { afterMs }, counted: true, errors };',
    replace:
      'return { kind: "deferred", target: fence, schedule: afterMs < 0 ? { afterMs } : undefined, counted: true, errors };',
  },
  {
    name: "failure: attempts are bounded",
    in: "core:failureOutcome",
    find: "if (isFatal(error) || attempt >= processor.retry.maxAttempts)",
    replace: "if (isFatal(error))",
  },
  {
    name: "failure: attempts used up by dying processes are bounded",
    in: "core:createAttempt",
    find: "if (job.attempt > processor.retry.maxAttempts)",
    replace: "if (job.attempt > processor.retry.maxAttempts && job.attempt < 0)",
  },
  {
    name: "failure: FatalError ends it",
    in: "core:failureOutcome",
    find: "if (isFatal(error) || attempt",
    replace: "if ((isFatal(error) && attempt < 0) || attempt",
  },
  {
    name: "failure: errors are bounded in number",
    in: "core:appendAttemptError",
    find: "entry].slice(-keptAttempts)",
    replace: "entry].slice(-keptAttempts * 100)",
  },
  {
    name: "failure: errors are bounded in size",
    in: "core:text",
    find: "value.length <= longest ? value",
    replace: "value.length <= longest * 1e6 ? value",
  },
  {
    name: "failure: a poisonous error is described",
    in: "core:describe",
    find: "} catch {\n    return undescribed;",
    replace: "} catch (poison) {\n    if (poison !== undefined) throw poison;\n    return undescribed;",
  },
  {
    name: "failure: causes are kept",
    in: "core:describeInstance",
    find: "...(cause !== undefined && { cause }),",
    replace: "",
  },
  {
    name: "failure: errors of an AggregateError are kept",
    in: "core:describeInstance",
    find: "...(errors !== undefined && { errors }),",
    replace: "",
  },
  {
    name: "failure: causes are bounded in depth",
    in: "core:isEnough",
    find: "level >= mostLevels || ",
    replace: "",
  },
  {
    name: "failure: causes are bounded in number",
    in: "core:isEnough",
    find: " || seen.size >= mostDescribed",
    replace: "",
  },
  {
    name: "failure: an error is described once, however its causes lead back to it",
    in: "core:causeOf",
    find: " || seen.has(cause)",
    replace: "",
  },
  {
    name: "failure: a thrown object is shown",
    in: "core:describe",
    find: "text(showThrown(error), message)",
    replace: "text(String(error), message)",
  },
  {
    name: "failure: a thrown object is shown in part",
    in: "core:entriesOf",
    find: "if (entries.length >= mostEntries || shown.values > mostValues) break;",
    replace: "",
  },
  {
    name: "failure: frames of the library are folded",
    in: "core:foldStack",
    find: "fold(lines, isInternal)",
    replace: "lines",
  },
  {
    name: "failure: a reschedule uses up no attempt",
    in: "core:failureOutcome",
    find: "schedule: error.schedule, counted: false, errors: undefined",
    replace: "schedule: error.schedule, counted: true, errors: undefined",
  },
  {
    name: "options: those of a processor win",
    in: "core:createProcessor",
    find: "given: [options, shared.options]",
    replace: "given: [shared.options, options]",
  },
  {
    name: "options: those of createProcessors win over the worker's",
    in: "core:mergeProcessors",
    find: "attemptPolicy([...given, options])",
    replace: "attemptPolicy([options, ...given])",
  },
  {
    name: "options: values of a backoff that are not given come from further options",
    in: "core:attemptPolicy",
    find: "over(below, retry?.backoff)",
    replace: "over(defaultRetry.backoff, retry?.backoff ?? below)",
  },
  {
    name: "report: failures are reported without observers",
    in: "core:checkClientOptions",
    find: "observers === undefined ? createFailureReporter(toStandardError) : undefined",
    replace: "undefined",
  },
  {
    name: "report: observers: [] is silence",
    in: "core:checkClientOptions",
    find: "observers === undefined ? createFailureReporter(toStandardError) : undefined",
    replace: "createFailureReporter(toStandardError)",
  },
  {
    name: "report: a storm of one kind is one text",
    in: "core:createFailureReporter",
    find: "if (known !== undefined) {",
    replace: "if (known !== undefined && known.count < 0) {",
  },
  {
    name: "report: many kinds are bounded",
    in: "core:createFailureReporter",
    find: " || kinds.size < mostKinds ?",
    replace: " || kinds.size < mostKinds * 1e6 ?",
  },
  {
    name: "report: what was left out is counted",
    in: "core:createFailureReporter",
    find: "known.count += 1;",
    replace: "",
  },
  {
    name: "report: a worker without handlers is refused",
    in: "core:createWorker",
    find: "if (all.size === 0)",
    replace: "if (all.size < 0)",
  },
];
