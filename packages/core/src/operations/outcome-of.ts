import type { JobStart } from "../model/job-start.ts";
import type { Fence, OpenStep, Outcome } from "../model/outcome.ts";
import type { Engine } from "../engine/engine.ts";
import { serialize } from "../checks/json.ts";
import { whenKnown } from "../checks/schema-verdict.ts";
import { prepareCompensation } from "./prepare-follow-ups.ts";
import { prepareContinuation } from "./prepare-start.ts";
import { isContinuation, type ContinuationResult } from "./continuation.ts";

/** The version in which an output is written; undefined: 1. */
export function outputVersionOf({ types }: Pick<Engine, "types">, typeName: string): number | undefined {
  const version = types.versions.newestOutput(typeName);
  return version === 1 ? undefined : version;
}

/** What a continuation inherits from the job that it continues, and what must allow it. */
export function stepOf({ typeName, priority, pool }: Pick<JobStart, "typeName" | "priority" | "pool">) {
  return { typeName, priority, pool };
}

/** The outcome of the value that a handler returned: the chain's output, or its next step. */
export function outcomeOf(engine: Engine, step: EndedStep, value: unknown): Outcome | Promise<Outcome> {
  if (isContinuation(value)) return continuedOutcome(engine, step, value);
  const checked = engine.types.checkOutput(step.typeName, value);
  return whenKnown(checked, (output) => completedOutcome(engine, step, output));
}

interface EndedStep extends Pick<JobStart, "typeName" | "priority" | "pool"> {
  readonly target: Fence | OpenStep;
}

async function continuedOutcome(engine: Engine, step: EndedStep, { item }: ContinuationResult): Promise<Outcome> {
  const { target } = step;
  const next = await prepareContinuation(engine, item, step);
  const { compensate } = item;
  if (compensate === undefined) return { kind: "continued", target, next };
  return { kind: "continued", target, next, compensation: await prepareCompensation(engine, compensate, step) };
}

function completedOutcome(engine: Engine, { target, typeName }: EndedStep, output: unknown): Outcome {
  return {
    kind: "completed",
    target,
    output: serialize(output, `the output of "${typeName}"`, engine.maxPayloadBytes),
    outputVersion: outputVersionOf(engine, typeName),
  };
}
