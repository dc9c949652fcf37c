import { checkKeys, checkSchedule, invalid, show } from "../checks/check-options.ts";
import { captureContext } from "../engine/contexts.ts";
import type { Engine } from "../engine/engine.ts";
import type { Compensation } from "../model/compensation.ts";
import type { FollowUp } from "../model/follow-up.ts";
import type { JobStart } from "../model/job-start.ts";
import { prepareInput } from "./prepare-input.ts";
import { poolOf, priorityOf } from "./step-fields.ts";

/** What undoes a step, as a caller wrote it. */
export interface CompensationItem {
  readonly typeName: string;
  readonly input: unknown;
  readonly priority?: number | undefined;
  readonly pool?: string | null | undefined;
  readonly whenStopped?: string | undefined;
}

const compensationKeys = {
  typeName: true,
  input: true,
  priority: true,
  pool: true,
  whenStopped: true,
} satisfies Record<keyof CompensationItem, true>;

type Step = Pick<JobStart, "typeName" | "priority" | "pool">;

/** Checks what undoes a step; it inherits the priority and the pool that it does not set. */
export async function prepareCompensation(engine: Engine, item: CompensationItem, step: Step): Promise<Compensation> {
  checkKeys(item, compensationKeys, "a compensation");
  const { typeName } = item;
  engine.types.assertCompensation(step.typeName, typeName);
  const prepared = prepareInput(engine, typeName, item.input);
  const { input, version, limits } = prepared instanceof Promise ? await prepared : prepared;
  const pool = poolOf(item, step.pool);
  const priority = priorityOf(item, step.priority);
  const context = contextOf(engine, typeName);
  const whenStopped = prepareFollowUp(engine, item, { priority, pool, context });
  return { typeName, version, pool, priority, input, context, ...(limits && { limits }), whenStopped };
}

/**
 * What follows a chain of this type if it stops. With schemas it may be left out. Undefined: nothing. It continues the context of the
 * chain's start, so that a trace has both.
 */
export function prepareFollowUp(
  engine: Engine,
  item: { readonly typeName: string; readonly whenStopped?: string | undefined },
  { priority, pool, context }: Pick<FollowUp, "priority" | "pool" | "context">,
): FollowUp | undefined {
  const typeName = engine.types.whenStoppedOf(item.typeName, item.whenStopped);
  if (typeName === undefined) return undefined;
  if (engine.types.limits.covers(typeName))
    throw invalid(
      `whenStopped of "${item.typeName}" names "${typeName}", which is under a limit; its input is made when the chain stops, so it has no key yet. Name a type without limits, which starts "${typeName}".`,
    );
  const version = engine.types.versions.newestInput(typeName);
  return {
    typeName,
    version: version === 1 ? undefined : version,
    pool,
    priority,
    context,
  };
}

/** When the store cancels the chain of a start. */
export function checkDeadline(deadline: unknown): JobStart["deadline"] {
  if (deadline === undefined) return undefined;
  if (typeof deadline !== "object" || deadline === null)
    throw invalid(`deadline must be { at } or { afterMs }; got ${show(deadline)}.`);
  return checkSchedule(deadline, "deadline");
}

/** Its id is made when it starts. */
function contextOf(engine: Engine, typeName: string): string | undefined {
  if (engine.contexts.length === 0) return undefined;
  return captureContext(engine.contexts, () => ({ jobId: engine.newId(), typeName, operation: "start" }));
}
