import * as v from "valibot";
import { limitOfId } from "../limit-id.ts";
import { Refusal } from "./refusal.ts";

const mostValues = 50;
/** Jobs whose progress one page follows. */
const mostFollowed = 100;
const anyId = "00000000-0000-0000-0000-000000000000";
const id = v.pipe(v.string(), v.uuid("must be a UUID"));
/** At least four characters, or every search would find thousands. */
const idOrPrefix = v.pipe(v.string(), v.regex(/^.{4,36}$/), v.check(isIdPrefix, "must be a UUID or its beginning"));
const text = (longest: number) =>
  v.pipe(v.string(), v.maxLength(longest), v.check(isPlain, "must not contain NUL or an unpaired surrogate"));
const moment = v.pipe(v.string(), v.digits(), v.maxLength(15), v.transform(Number), v.maxValue(8.64e15));
const limit = v.pipe(v.string(), v.digits(), v.maxLength(3), v.transform(Number), v.minValue(1), v.maxValue(100));
const list = <Schema extends v.GenericSchema<string, string>>(of: Schema) =>
  v.pipe(v.array(of), v.maxLength(mostValues));

/** The statuses of a job that has not ended. */
export const openStatuses = ["ready", "running", "scheduled", "blocked", "waiting"] as const;

const chainStatuses = ["active", "completed", "failed", "cancelled"] as const;

/** The queries of the GET routes. Unknown parameters and repeated single parameters are refused. */
export const queries = {
  none: v.strictObject({}),
  history: v.strictObject({
    over: v.optional(v.picklist(["hour", "day"])),
    typeName: v.optional(v.pipe(text(1_000), v.minLength(1))),
  }),
  bySchedule: v.strictObject({ id: v.pipe(text(500), v.minLength(1)) }),
  byId: v.strictObject({ id, cursor: v.optional(text(100)) }),
  steps: v.strictObject({
    id,
    order: v.optional(v.picklist(["oldest", "newest"])),
    cursor: v.optional(text(100)),
    around: v.optional(text(100)),
  }),
  blockers: v.strictObject({
    id,
    status: v.optional(v.pipe(v.array(v.picklist(chainStatuses)), v.maxLength(chainStatuses.length))),
    cursor: v.optional(text(100)),
  }),
  notes: v.strictObject({
    id,
    level: v.optional(v.picklist(["debug", "info", "warn", "error"])),
    text: v.optional(text(1_000)),
  }),
  chains: v.strictObject({
    typeName: v.optional(list(text(1_000))),
    stepType: v.optional(list(text(1_000))),
    step: v.optional(v.pipe(v.array(v.picklist(openStatuses)), v.maxLength(openStatuses.length))),
    status: v.optional(v.pipe(v.array(v.picklist(chainStatuses)), v.maxLength(chainStatuses.length))),
    worker: v.optional(v.pipe(text(200), v.minLength(1))),
    id: v.optional(list(idOrPrefix)),
    input: v.optional(v.pipe(text(1_000), v.regex(/^[^=]+=/s))),
    tag: v.optional(v.pipe(v.array(v.pipe(text(700), v.regex(/^[^=]+=./s))), v.maxLength(8))),
    key: v.optional(v.pipe(text(2_000), v.minLength(1))),
    from: v.optional(moment),
    until: v.optional(moment),
    errorText: v.optional(text(1_000)),
    order: v.optional(v.picklist(["newest", "oldest"])),
    cursor: v.optional(text(100)),
    limit: v.optional(limit),
  }),
  byType: v.strictObject({
    typeName: v.optional(list(text(1_000))),
    cursor: v.optional(text(200)),
    limit: v.optional(limit),
  }),
  failed: v.strictObject({
    typeName: v.optional(list(text(1_000))),
    since: v.optional(moment),
    group: v.optional(text(100)),
    cursor: v.optional(text(200)),
  }),
  limits: v.strictObject({
    limit: v.optional(text(100)),
    key: v.optional(text(200)),
    busy: v.optional(v.literal("true")),
    order: v.optional(v.picklist(["running", "waiting"])),
    cursor: v.optional(
      v.pipe(
        text(2_000),
        v.check((cursor) => limitOfId(cursor)?.key !== undefined),
      ),
    ),
  }),
  events: v.strictObject({
    chain: v.optional(v.pipe(v.array(id), v.maxLength(10))),
    job: v.optional(v.pipe(v.array(id), v.maxLength(mostFollowed))),
  }),
};

const lists = new Set(["typeName", "status", "chain", "job"]);

/** Parses a query string by a schema, or refuses it. `many` names the parameters that may be repeated. */
export function readQuery<Schema extends v.GenericSchema>(
  query: URLSearchParams,
  schema: Schema,
  many: ReadonlySet<string> = lists,
): v.InferOutput<Schema> {
  const given = new Map<string, string | string[]>();
  for (const key of new Set(query.keys())) {
    const values = query.getAll(key);
    given.set(key, many.has(key) || values.length > 1 ? values : (values[0] ?? ""));
  }
  return parse(schema, Object.fromEntries(given), "query");
}

/** Checks a value against a schema. The error names the place but never the value. */
export function parse<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  what: string,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const path = issue?.path?.map((part) => String(part.key)).join(".") ?? "";
  throw new Refusal(400, "invalid-request", `The ${what} is invalid${path === "" ? "" : ` at ${path.slice(0, 100)}`}.`);
}

function isIdPrefix(value: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value + anyId.slice(value.length));
}

function isPlain(value: string): boolean {
  return value.isWellFormed() && !value.includes("\u0000");
}
