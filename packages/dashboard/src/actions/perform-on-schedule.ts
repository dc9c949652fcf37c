import type { ErasedClient } from "chainwright/adapter";
import type { SchedulesRequest } from "./request.ts";

/** Performs an action on one schedule. */
export async function performOnSchedule(
  client: ErasedClient,
  request: SchedulesRequest,
  named: { readonly id: string; readonly tx?: unknown },
): Promise<unknown> {
  switch (request.action) {
    case "pause-schedule":
      return await client.pauseSchedule({ ...named, reason: request.reason });
    case "resume-schedule":
      return await client.resumeSchedule(named);
    case "trigger-schedule":
      return await client.triggerSchedule(named);
    case "reset-schedule":
      return await client.resetSchedule(named);
    case "delete-schedule":
      return await client.deleteSchedule(named);
    case "edit-schedule":
      return await client.updateSchedule({ ...named, ...request.times, ifRevision: request.ifRevision });
  }
}
