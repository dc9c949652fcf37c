import { given } from "../checks/check-options.ts";
import type { Engine } from "../engine/engine.ts";
import { applySchedules, type ApplySchedules } from "../operations/apply-schedules.ts";
import {
  createSchedule,
  deleteSchedule,
  pauseSchedule,
  resetSchedule,
  resumeSchedule,
  updateSchedule,
} from "../operations/change-schedules.ts";
import {
  listDueSchedules,
  listSchedules,
  listTicks,
  type ListDueSchedules,
  type ListSchedules,
  type ListTicks,
} from "../operations/list-schedules.ts";
import { backfillSchedule, triggerSchedule, type BackfillSchedule } from "../operations/start-from-schedule.ts";
import { startedChainView } from "../operations/views.ts";

type First<Call extends (engine: Engine, options: never) => unknown> = Parameters<Call>[1];

/** The client's calls about recurring schedules, without their types. */
export function scheduleCalls(open: () => Engine) {
  return {
    createSchedule: async (options: First<typeof createSchedule>) =>
      await createSchedule(open(), given(options, "createSchedule")),
    applySchedules: async (options: ApplySchedules) => await applySchedules(open(), given(options, "applySchedules")),
    updateSchedule: async (options: First<typeof updateSchedule>) =>
      await updateSchedule(open(), given(options, "updateSchedule")),
    resetSchedule: async (options: First<typeof resetSchedule>) => await resetSchedule(open(), options),
    pauseSchedule: async (options: First<typeof pauseSchedule>) => await pauseSchedule(open(), options),
    resumeSchedule: async (options: First<typeof resumeSchedule>) => await resumeSchedule(open(), options),
    deleteSchedule: async (options: First<typeof deleteSchedule>) => await deleteSchedule(open(), options),
    triggerSchedule: async (options: First<typeof triggerSchedule>) => {
      const engine = open();
      const { chain, typeName } = await triggerSchedule(engine, options);
      return startedChainView(chain, typeName, engine.types.versions.read);
    },
    backfillSchedule: async (options: BackfillSchedule) => await backfillSchedule(open(), options),
    listSchedules: async (options?: ListSchedules) => await listSchedules(open(), options),
    listDueSchedules: async (options?: ListDueSchedules) => await listDueSchedules(open(), options),
    listTicks: async (options: ListTicks) => await listTicks(open(), options),
  };
}
