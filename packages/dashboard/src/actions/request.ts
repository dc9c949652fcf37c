import * as v from "valibot";
import { parse } from "../http/query.ts";
import { limitOfId } from "../limit-id.ts";

export const mostItems = 500;
const mostEdits = 100;

const path = v.pipe(v.string(), v.maxLength(1_000), v.regex(/^(\/([^~/]|~[01])*)*$/));

const some = <Item extends v.GenericSchema<string, string>>(item: Item) =>
  v.pipe(v.array(item), v.minLength(1), v.maxLength(mostItems));

const reason = v.optional(v.pipe(v.string(), v.maxLength(2_000)));

const onChains = v.strictObject({
  action: v.picklist(["retry", "trigger", "cancel", "delete"]),
  ids: some(v.pipe(v.string(), v.uuid(), v.toLowerCase())),
  reason,
  cascade: v.optional(v.boolean()),
  typeName: v.optional(v.pipe(v.string(), v.maxLength(1_000))),
  edit: v.optional(
    v.pipe(
      v.array(
        v.variant("op", [
          v.strictObject({ op: v.picklist(["add", "replace"]), path, value: v.unknown() }),
          v.strictObject({ op: v.literal("remove"), path }),
        ]),
      ),
      v.minLength(1),
      v.maxLength(mostEdits),
    ),
  ),
});

const onWaiting = v.strictObject({
  action: v.literal("send-signal"),
  ids: some(v.pipe(v.string(), v.uuid(), v.toLowerCase())),
  signal: v.strictObject({
    typeName: v.pipe(v.string(), v.maxLength(1_000)),
    signal: v.pipe(v.string(), v.minLength(1), v.maxLength(500)),
    payload: v.unknown(),
  }),
  reason: v.optional(v.pipe(v.string(), v.maxLength(2_000))),
});

const onTypes = v.strictObject({
  action: v.picklist(["pause", "resume"]),
  ids: some(v.pipe(v.string(), v.minLength(1), v.maxLength(1_000))),
  reason,
});

const onLimits = v.strictObject({
  action: v.picklist(["change-limit", "reset-limit", "pause-limit", "resume-limit"]),
  ids: some(
    v.pipe(
      v.string(),
      v.maxLength(2_000),
      v.check((id) => limitOfId(id) !== undefined),
    ),
  ),
  reason,
  change: v.optional(
    v.strictObject({
      concurrency: v.optional(v.number()),
      rate: v.optional(v.strictObject({ count: v.number(), perMs: v.number(), spread: v.optional(v.boolean()) })),
      forMs: v.optional(v.number()),
    }),
  ),
});

const someSchedules = some(v.pipe(v.string(), v.minLength(1), v.maxLength(500)));

const onSchedules = v.strictObject({
  action: v.picklist(["pause-schedule", "resume-schedule", "trigger-schedule", "reset-schedule", "delete-schedule"]),
  ids: someSchedules,
  reason,
});

const editOfSchedule = v.strictObject({
  action: v.literal("edit-schedule"),
  ids: v.pipe(someSchedules, v.maxLength(1)),
  reason,
  times: v.strictObject({
    cron: v.optional(v.pipe(v.string(), v.maxLength(1_000))),
    timeZone: v.optional(v.pipe(v.string(), v.maxLength(200))),
    everyMs: v.optional(v.number()),
  }),
  ifRevision: v.optional(v.pipe(v.number(), v.safeInteger())),
});

const request = v.variant("action", [onChains, onWaiting, onTypes, onLimits, onSchedules, editOfSchedule]);

/** A requested action, with each id once. */
export type CheckedRequest = v.InferOutput<typeof request>;

export type ChainsRequest = v.InferOutput<typeof onChains>;
export type LimitsRequest = v.InferOutput<typeof onLimits>;

/** Whether the action is on chains or jobs. Only these have inputs to edit. */
export function isOnChains(checked: CheckedRequest): checked is ChainsRequest {
  return ["retry", "trigger", "cancel", "delete"].includes(checked.action);
}

export function isOnLimits(checked: CheckedRequest): checked is LimitsRequest {
  return checked.action.endsWith("-limit");
}

/** An action on recurring schedules. */
export type SchedulesRequest = v.InferOutput<typeof onSchedules> | v.InferOutput<typeof editOfSchedule>;

export function isOnSchedules(checked: CheckedRequest): checked is SchedulesRequest {
  return checked.action.endsWith("-schedule");
}

export function checkRequest(body: unknown): CheckedRequest {
  const checked = parse(request, body, "request's body");
  return { ...checked, ids: [...new Set(checked.ids)] };
}
