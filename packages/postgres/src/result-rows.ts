import type { JobRef, Refusal, StartedJob, WaitingJob } from "chainwright/adapter";
import { ChainwrightError } from "chainwright";
import type { PostgresRow } from "./driver.ts";
import { wholeMs } from "./rows.ts";

/*
 * The rows in which the installed functions report what they did. One statement may call several functions (`union all`), so all
 * of them return rows of the same columns. The first column says of which kind a row is, and the table `kinds` says which fields
 * each kind has. Both sides come from that table: functions write a row with `resultRow`, TypeScript reads it with `resultOf`.
 */

const jobRef = { jobId: "uuid", chainId: "uuid", typeName: "text" } as const;

/** A job that may run, or will: `dueInMs` is set where `status` is `scheduled`. Fields that a release adds come last. */
const startedJob = { ...jobRef, status: "text", dueInMs: "ms?", claimName: "text?" } as const;

/**
 * The fields of each kind. `n` is the number of the outcome or item that a row is about, -1 for the release of a chain that ended
 * in an earlier call. Moments end in `At`, durations in `Ms`. A question mark: null is possible, and is read as undefined.
 */
const kinds = {
  // Of a settled outcome.
  settled: { n: "integer", ...jobRef, settledAt: "ms" },
  // Of all settled outcomes of a claim name, which is `typeName`: JSON arrays of their numbers and, if a chain has steps, of the chains.
  ended: { numbers: "text", chainIds: "text?", typeName: "text", settledAt: "ms" },
  lost: { n: "integer", reason: "text" },
  busy: { n: "integer" },
  // `refusal` is JSON. Without `n` the whole call is refused.
  refused: { n: "integer?", refusal: "text" },
  started: { n: "integer", ...startedJob },
  // Of the end of a chain, see `releaseFunction`.
  // Of a chain that was started because another one has stopped: with `followUp` 1.
  unblocked: { n: "integer", ...startedJob, followUp: "integer?" },
  failed: { n: "integer", ...jobRef },
  // `unused`: how many signals of the chain no job has taken; `isNoted`, 0 or 1: whether a process waits for its end.
  awaited: { n: "integer", chainId: "uuid", unused: "integer?", isNoted: "integer?" },
  releasing: { n: "integer" },
  locked: { n: "integer" },
  resumed: { taken: "integer" },
  // Of a start: `jobStatus` where it began a chain, `chainStatus`, `input` and its version where another chain has its key;
  // `announced`, 0 or 1, where it has replaced the input of that chain.
  start: {
    n: "integer",
    chainId: "uuid",
    typeName: "text",
    createdAt: "ms",
    dueInMs: "ms?",
    jobStatus: "text?",
    chainStatus: "integer?",
    input: "text?",
    version: "integer?",
    announced: "integer?",
  },
  // Of a tick: `n` is the number of the item, otherwise that of the start.
  taken: { n: "integer" },
  known: { n: "integer" },
  overlap: { n: "integer", chainId: "uuid" },
  // Of a changed schedule; without a revision it was deleted.
  changed: { n: "integer", revision: "integer?" },
  // Of a claim. The `typeName` of a claimed job is its claim name. `claimStart.found` is JSON, see `createClaimStart`.
  claimed: {
    ...jobRef,
    step: "integer",
    priority: "integer",
    attempt: "integer",
    fence: "integer",
    createdAt: "ms",
    waitedMs: "ms",
    input: "text",
    errors: "text?",
    context: "text?",
  },
  // Of a blocker of a claimed job. The chain's own fields are null if it is missing.
  blocker: {
    jobId: "uuid",
    chainId: "uuid",
    typeName: "text",
    createdAt: "ms",
    endedAt: "ms",
    input: "text?",
    output: "text?",
    context: "text?",
    version: "integer?",
    outputVersion: "integer?",
  },
  nextDue: { dueInMs: "ms" },
  claimStart: { found: "text" },
  // Of a change.
  cancelled: {
    n: "integer",
    ...jobRef,
    workerId: "text?",
    entryType: "text",
    entryInput: "text",
    entryVersion: "integer?",
  },
  // Of a chain that followed one which is active again.
  withdrawn: { n: "integer", ...jobRef },
  alsoCancelled: { n: "integer", ...jobRef, workerId: "text?" },
  recorded: { n: "integer" },
  // Of a note: `memos` is JSON, see `noteFunction`.
  noted: { n: "integer", memos: "text?" },
  retried: { n: "integer", ...startedJob },
  reblocked: { n: "integer", ...jobRef },
  removed: { chainId: "uuid", typeName: "text" },
  interrupted: { jobId: "uuid", chainId: "uuid", workerId: "text" },
  // Of a claimed job as well, because the last release ignores this kind in a claim: what few jobs have, see `claimedMore`.
  triggered: { ...jobRef, claimName: "text?", more: "text?" },
  // Of a signal; `reached` of one for a topic.
  signalled: { n: "integer", delivered: "text", reached: "integer?" },
  woken: { n: "integer", ...jobRef, claimName: "text?" },
} as const satisfies Record<string, Readonly<Record<string, FieldType>>>;

type FieldType = BaseType | `${BaseType}?`;
type BaseType = "integer" | "uuid" | "ms" | "text";

type Kinds = typeof kinds;
export type Kind = keyof Kinds;

type ValueOf<Type extends FieldType> = Type extends "integer" | "ms"
  ? number
  : Type extends "integer?" | "ms?"
    ? number | undefined
    : Type extends "uuid?" | "text?"
      ? string | undefined
      : string;

type RowOf<K extends Kind> = { readonly kind: K } & {
  readonly [Name in keyof Kinds[K]]: Kinds[K][Name] extends FieldType ? ValueOf<Kinds[K][Name]> : never;
};

/** A row as TypeScript reads it, of one of these kinds. */
export type ResultRow<K extends Kind = Kind> = { [Each in K]: RowOf<Each> }[K];

/** As many columns of each type as the kind needs that has the most fields of that type. */
const columns = columnsFor(Object.values(kinds));

const sqlTypes: Readonly<Record<BaseType, string>> = { integer: "integer", uuid: "uuid", ms: "bigint", text: "text" };

/** What the installed functions return: `kind`, and columns that are named after their type and number. */
export const resultColumns = ["kind text", ...columns.map(({ type, name }) => `${name} ${sqlTypes[type]}`)].join(", ");

/**
 * The select list of a row: an SQL expression for each field of its kind, `null` where a field has no value. Moments and durations
 * are doubles, see `wholeMs`.
 */
export function resultRow<K extends Kind>(
  kind: K,
  expressions: Readonly<Record<keyof Kinds[K], string>>,
  kindExpression = `'${kind}'`,
): string {
  const values: string[] = [];
  const given: Readonly<Record<string, string>> = expressions;
  for (const { name, type, column } of fieldsByKind.get(kind)?.fields ?? []) {
    const expression = given[name];
    if (expression !== undefined && expression !== "null")
      values[column] = type === "ms" ? wholeMs(expression) : expression;
  }
  return [kindExpression, ...columns.map(({ type }, at) => values[at + 1] ?? `null::${sqlTypes[type]}`)].join(", ");
}

/**
 * The same as plpgsql, for a function that returns one row at this place: with `return query` a job that settles in a transaction of
 * its own takes 3 % more instructions in the server.
 */
export function returnRow<K extends Kind>(kind: K, expressions: Readonly<Record<keyof Kinds[K], string>>): string {
  const given: Readonly<Record<string, string>> = expressions;
  const fields = fieldsByKind.get(kind)?.fields ?? [];
  const assignments = fields.flatMap(({ name, type, column }) => {
    const expression = given[name];
    const target = columns[column - 1];
    if (expression === undefined || expression === "null" || target === undefined) return [];
    return [`${target.name} := ${type === "ms" ? wholeMs(expression) : expression};`];
  });
  return [`kind := '${kind}';`, ...assignments, "return next;"].join("\n  ");
}

/** Reads a row. */
export function resultOf(row: PostgresRow): ResultRow {
  const found = fieldsByKind.get(row[0]);
  if (found === undefined) throw corrupt(`a function of the store returned a row of the kind ${String(row[0])}`);
  const result: Record<string, unknown> = { kind: found.kind };
  for (const { name, isNumber, isOptional, column } of found.fields) {
    const value = row[column];
    if (value === null && isOptional) result[name] = undefined;
    else result[name] = isNumber ? Number(value) : String(value);
  }
  return result as ResultRow;
}

interface Field {
  readonly name: string;
  readonly type: BaseType;
  readonly isNumber: boolean;
  readonly isOptional: boolean;
  readonly column: number;
}

const fieldsByKind: ReadonlyMap<unknown, { readonly kind: string; readonly fields: readonly Field[] }> = new Map(
  Object.entries(kinds).map(([kind, types]) => [kind, { kind, fields: fieldsOf(types) }]),
);

function columnsFor(all: readonly Readonly<Record<string, FieldType>>[]) {
  const count = (type: BaseType) =>
    Math.max(
      ...all.map(
        (types) =>
          Object.values(types)
            .map(baseOf)
            .filter((each) => each === type).length,
      ),
    );
  const baseTypes: readonly BaseType[] = ["integer", "uuid", "ms", "text"];
  return baseTypes.flatMap((type) =>
    Array.from({ length: count(type) }, (_, at) => ({ type, name: `${type}_${at + 1}` })),
  );
}

/** Gives each field of a kind the next column of its type. */
function fieldsOf(types: Readonly<Record<string, FieldType>>): readonly Field[] {
  const used = new Map<BaseType, number>();
  return Object.entries(types).map(([name, fieldType]) => {
    const type = baseOf(fieldType);
    const number = (used.get(type) ?? 0) + 1;
    used.set(type, number);
    const column = 1 + columns.findIndex((each) => each.name === `${type}_${number}`);
    return { name, type, isNumber: type === "integer" || type === "ms", isOptional: type !== fieldType, column };
  });
}

function baseOf(type: FieldType): BaseType {
  switch (type) {
    case "integer?":
      return "integer";
    case "uuid?":
      return "uuid";
    case "ms?":
      return "ms";
    case "text?":
      return "text";
    default:
      return type;
  }
}

export function refOf({ jobId, chainId, typeName }: JobRef): JobRef {
  return { jobId, chainId, typeName };
}

export function waitingOf(row: ResultRow<"started" | "unblocked" | "retried" | "triggered" | "woken">): WaitingJob {
  const { claimName = row.typeName } = row;
  return { ...refOf(row), claimName: claimName === row.typeName ? undefined : claimName };
}

export function startedJobOf(row: ResultRow<"started" | "unblocked" | "retried">): StartedJob {
  return { ...waitingOf(row), ...dueOf(row.status, row.dueInMs) };
}

/** The status of a started job; milliseconds until it is due only where it is scheduled, or waits until some moment. */
export function dueOf(status: string, dueInMs: number | undefined): Pick<StartedJob, "status" | "dueInMs"> {
  const isTimed = status === "scheduled" || (status === "waiting" && dueInMs !== undefined && dueInMs > 0);
  return { status: status as StartedJob["status"], dueInMs: isTimed ? dueInMs : undefined };
}

export function refusalOf(row: ResultRow<"refused">): Refusal {
  const { code, id, actual, references } = JSON.parse(row.refusal) as Refusal;
  return { code, id, actual: actual ?? undefined, references: references ?? undefined };
}

/** Returns `count` replies in the order of the requests. Throws if one is missing, so that no request gets the reply of another. */
export function inPlace<T>(replies: readonly (T | undefined)[], count: number, what: string): readonly T[] {
  return Array.from({ length: count }, (_, n) => {
    const reply = replies[n];
    if (reply !== undefined) return reply;
    throw corrupt(`${what} ${n} of ${count} has no reply from the store`);
  });
}

function corrupt(message: string): ChainwrightError {
  return new ChainwrightError("store-corrupt", `${message}; call client.doctor()`);
}
