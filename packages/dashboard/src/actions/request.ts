import * as v from "valibot";
import { parse } from "../http/query.ts";

export const mostItems = 500;
const mostEdits = 100;

const path = v.pipe(v.string(), v.maxLength(1_000), v.regex(/^(\/([^~/]|~[01])*)*$/));

const some = <Item extends v.GenericSchema<string, string>>(item: Item) =>
  v.pipe(v.array(item), v.minLength(1), v.maxLength(mostItems));

const onChains = v.strictObject({
  action: v.picklist(["retry", "trigger", "cancel", "delete"]),
  ids: some(v.pipe(v.string(), v.uuid(), v.toLowerCase())),
  reason: v.optional(v.pipe(v.string(), v.maxLength(2_000))),
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

const onTypes = v.strictObject({
  action: v.picklist(["pause", "resume"]),
  ids: some(v.pipe(v.string(), v.minLength(1), v.maxLength(1_000))),
  reason: v.optional(v.pipe(v.string(), v.maxLength(2_000))),
});

const request = v.variant("action", [onChains, onTypes]);

/** A requested action, with each id once. */
export type CheckedRequest = v.InferOutput<typeof request>;

type TypesRequest = v.InferOutput<typeof onTypes>;

/** Whether the action is on job types, which have no inputs to edit. */
export function isOnTypes(checked: CheckedRequest): checked is TypesRequest {
  return checked.action === "pause" || checked.action === "resume";
}

export function checkRequest(body: unknown): CheckedRequest {
  const checked = parse(request, body, "request's body");
  return { ...checked, ids: [...new Set(checked.ids)] };
}
