import * as v from "valibot";
import { parse } from "../http/query.ts";

export const mostItems = 500;
const mostEdits = 100;

const path = v.pipe(v.string(), v.maxLength(1_000), v.regex(/^(\/([^~/]|~[01])*)*$/));

const request = v.strictObject({
  action: v.picklist(["retry", "trigger", "cancel", "delete"]),
  ids: v.pipe(v.array(v.pipe(v.string(), v.uuid(), v.toLowerCase())), v.minLength(1), v.maxLength(mostItems)),
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

/** A requested action, with each id once. */
export type CheckedRequest = v.InferOutput<typeof request>;

export function checkRequest(body: unknown): CheckedRequest {
  const checked = parse(request, body, "request's body");
  return { ...checked, ids: [...new Set(checked.ids)] };
}
