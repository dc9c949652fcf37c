import { describeError } from "../checks/describe-error.ts";
import type { Engine } from "../engine/engine.ts";
import type { ScheduleRecord } from "../model/recurring.ts";
import { definitionOf } from "../operations/definition-of.ts";
import { schedulePages } from "../operations/schedule-pages.ts";
import { tickInput } from "../operations/tick-start.ts";
import { isServed, type Code } from "./code.ts";
import type { Found } from "./report.ts";

/** The recurring schedules whose ticks would start chains that no one can run, or none. */
export async function checkSchedules(engine: Engine, code: Code): Promise<readonly Found[]> {
  const found: Found[] = [];
  for await (const { schedules } of schedulePages(engine, {})) {
    for (const record of schedules) {
      const problem = await problemOf(engine, code, record);
      if (problem !== undefined) found.push(findingOf(record, problem));
    }
  }
  return found;
}

/** Undefined: it has none. */
async function problemOf(engine: Engine, code: Code, record: ScheduleRecord): Promise<string | undefined> {
  const { typeName } = record;
  if (!isServed(code, typeName)) return `no processor in this code handles "${typeName}".`;
  if (!code.processors.has(typeName)) return undefined;
  try {
    await tickInput(engine, definitionOf(record));
    return undefined;
  } catch (error) {
    return describeError(error).message;
  }
}

function findingOf({ id, typeName }: ScheduleRecord, problem: string): Found {
  return {
    code: "schedule-broken",
    typeName,
    message: `Schedule "${id}" cannot tick with this code: ${problem} Change its input with applySchedules or updateSchedule, or delete it.`,
    details: { scheduleId: id },
  };
}
