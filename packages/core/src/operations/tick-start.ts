import { UnreadableInput } from "../checks/unreadable-input.ts";
import { captureContext } from "../engine/contexts.ts";
import type { Engine } from "../engine/engine.ts";
import { withTick } from "./tick-context.ts";
import { hashOf, mixHashes } from "../model/hash.ts";
import type { JobStart } from "../model/job-start.ts";
import type { ScheduleDefinition } from "../model/schedule-definition.ts";
import { prepareFollowUp } from "./prepare-follow-ups.ts";
import { prepareInput } from "./prepare-input.ts";

/** The input of a schedule as the chains of its ticks get it. */
export interface TickInput extends Pick<JobStart, "input" | "limits" | "whenStopped"> {
  readonly version: number | undefined;
}

/**
 * Reads the stored input of a schedule, makes it newer if its type has newer versions, and checks it against its schema.
 *
 * @throws `UnreadableInput`, `invalid-input`
 */
export async function tickInput(engine: Engine, definition: ScheduleDefinition): Promise<TickInput> {
  const { typeName, input, version, priority, pool } = definition;
  const value = engine.types.versions.read({ payload: "input", typeName, version }, input);
  // What the code of today says about its type counts before what the schedule was given.
  const whenStopped = engine.types.whenStoppedOf(typeName, undefined) ?? definition.whenStopped ?? undefined;
  const followUp = prepareFollowUp(engine, { typeName, whenStopped }, { priority, pool: pool ?? undefined });
  const prepared = await prepareInput(engine, typeName, value);
  return followUp === undefined ? prepared : { ...prepared, whenStopped: followUp };
}

/** Whether an error of `tickInput` says that only newer code reads the input. */
export function needsNewerCode(error: unknown): boolean {
  return error instanceof UnreadableInput && error.why === "newer-version";
}

/** The start of the chain of a tick, or of a trigger, which is no tick. */
export function tickStart(
  engine: Engine,
  { typeName, priority, pool, jitterMs }: ScheduleDefinition,
  { input, version, limits, whenStopped }: TickInput,
  tick: { readonly scheduleId: string; readonly at: number; readonly missed: number } | undefined,
): JobStart {
  const id = engine.newId();
  const context = captureContext(engine.contexts, () => ({ jobId: id, typeName, operation: "start" }));
  const start: JobStart = {
    id,
    typeName,
    version,
    pool: pool ?? undefined,
    input,
    priority,
    schedule: tick === undefined || jitterMs === 0 ? undefined : { at: tick.at + jitterOf(tick, jitterMs) },
    blockers: [],
    onBlockerFailure: "fail",
    deduplication: undefined,
    tags: undefined,
    context: tick === undefined ? context : withTick(context, tick),
  };
  return { ...start, ...(limits && { limits }), ...(whenStopped && { whenStopped: { ...whenStopped, context } }) };
}

/** The same for every process that computes it. */
function jitterOf({ scheduleId, at }: { readonly scheduleId: string; readonly at: number }, jitterMs: number): number {
  return mixHashes(hashOf(scheduleId), hashOf(String(at))) % (jitterMs + 1);
}
