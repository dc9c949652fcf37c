import { z } from "@hono/zod-openapi";

const id = z.uuid();
const typeName = z.string().min(1).max(1_000);
const payload = z.unknown().openapi({ description: "Any JSON value that fits the schema of the job type." });
/** One that must be there, because a client that leaves null out does not mean null. */
const requiredPayload = z
  .unknown()
  .refine((value) => value !== undefined, "must be there; null is a value")
  .openapi({ description: "Any JSON value that fits the schema of the job type, null too." });
const ms = z.number().int().min(0).max(8.64e15);
const schedule = z.union([z.strictObject({ at: z.iso.datetime({ offset: true }) }), z.strictObject({ afterMs: ms })]);
const waitUntil = z.union([schedule, z.literal("forever")]);
const priority = z.number().int().min(-32_768).max(32_767);
const pool = z.string().min(1).max(100);
const onBlockerFailure = z.enum(["fail", "wait"]);
const collect = recordOf(z.number().int().min(1), { type: "integer", minimum: 1 });
const topics = z.array(z.string()).max(100);
const token = z.string().min(1).max(8_192).openapi({ description: "Opaque: send it back unchanged." });
const waitMs = z.number().int().min(0).max(30_000);
const leaseMs = z.number().int().min(100).max(86_400_000);

const step = { typeName, input: payload, schedule: schedule.optional(), priority: priority.optional() };
const waits = { waitUntil: waitUntil.optional(), collect: collect.optional(), topics: topics.optional() };
const signal = { typeName, signal: z.string().min(1), payload, signalId: z.string().min(1).max(500).optional() };
const signals = z.array(z.strictObject(signal).openapi("StartSignal")).max(1_000);

/** Of a start: of a chain, and of a blocker that is started together with its job. */
const started = {
  ...step,
  ...waits,
  onBlockerFailure: onBlockerFailure.optional(),
  id: id.optional(),
  pool: pool.nullable().optional(),
  deduplication: z
    .strictObject({ key: z.string().min(1), scope: z.enum(["active", "any"]).optional(), windowMs: ms.optional() })
    .optional(),
  tags: recordOf(z.string(), { type: "string" }).optional(),
  deadline: schedule.optional(),
  whenStopped: typeName.optional(),
  signals: signals.optional().openapi({
    description: "Reach the chain together with its start; with a deduplication, the active chain that has the key.",
  }),
};

const blockerChain = z.strictObject({ id, typeName }).openapi("BlockerChain");
const unblocked = z.strictObject({ ...started, input: requiredPayload });

/** A start that is written as a blocker of another one, or of a next step. */
export interface BlockerStart extends z.output<typeof unblocked> {
  readonly blockers?: readonly Blocker[] | undefined;
}
/** A chain that was started before, or a start. */
export type Blocker = z.output<typeof blockerChain> | BlockerStart;

const blockerStart = unblocked
  .extend({
    // It contains itself, so its type is written out.
    get blockers(): z.ZodOptional<z.ZodType<readonly Blocker[]>> {
      return blockers.optional();
    },
  })
  .openapi("BlockerStart");
const blockers = z
  .array(z.union([blockerChain, blockerStart]))
  .max(100)
  .openapi({ description: "Chains that were started before, and starts, which have an input." });
const blocked = { blockers: blockers.optional(), onBlockerFailure: onBlockerFailure.optional() };

const compensation = z
  .strictObject({
    typeName,
    input: payload,
    priority: priority.optional(),
    pool: pool.nullable().optional(),
    whenStopped: typeName.optional(),
  })
  .openapi("Compensation", {
    description: "Undoes the step that continues, if the chain fails or is cancelled later.",
  });

/** The next step of a chain. */
const next = z
  .strictObject({
    ...step,
    ...waits,
    ...blocked,
    pool: pool.nullable().optional(),
    compensate: compensation.optional(),
  })
  .openapi("Next");

const start = z
  .strictObject({
    ...started,
    blockers: blockers.optional(),
    debounce: z.strictObject({ key: z.string().min(1), quietMs: ms, maxWaitMs: ms }).optional(),
    throttle: z.strictObject({ key: z.string().min(1), perMs: ms, last: z.boolean().optional() }).optional(),
    idempotencyKey: z.string().min(1).max(512).optional(),
    callback: z
      .strictObject({ url: z.string().min(1).max(2_000), format: z.enum(["json", "cloudevents"]).optional() })
      .optional()
      .openapi({ description: "Is told of the end of the chain, signed by Standard Webhooks." }),
  })
  .openapi("Start");

const told = z
  .strictObject({
    name: z.string().max(200).optional(),
    message: z.string().max(20_000),
    stack: z.string().max(20_000).optional(),
  })
  .openapi("ToldError");

// Each has a name, because clients are generated from it.
const outcome = z
  .discriminatedUnion("kind", [
    z.strictObject({ token, kind: z.literal("completed"), output: requiredPayload }).openapi("CompletedOutcome"),
    z.strictObject({ token, kind: z.literal("continued"), next }).openapi("ContinuedOutcome"),
    z
      .strictObject({ token, kind: z.literal("failed"), error: told, fatal: z.boolean().optional() })
      .openapi("FailedOutcome"),
    z
      .strictObject({
        token,
        kind: z.literal("rescheduled"),
        afterMs: ms.optional(),
        at: z.iso.datetime({ offset: true }).optional(),
      })
      .openapi("RescheduledOutcome"),
    z.strictObject({ token, kind: z.literal("returned") }).openapi("ReturnedOutcome"),
  ])
  .openapi("Outcome");

const claim = z
  .strictObject({
    types: z.array(typeName).min(1).max(100),
    limit: z.number().int().min(1).max(100),
    leaseMs,
    waitMs: waitMs.optional(),
    pools: z.array(pool.nullable()).min(1).max(20).optional(),
  })
  .openapi("Claim");

const worker = z.string().max(200).optional();

/** A start, or a blocker that is one. */
export type Started = Omit<BlockerStart, "input"> & { readonly input?: unknown };

/** The bodies of requests. Unknown properties are refused. */
export const bodies = {
  start: z.strictObject({ chains: z.array(start).min(1).max(100) }).openapi("StartRequest"),
  exchange: z
    .strictObject({ worker, outcomes: z.array(outcome).max(100).optional(), claim: claim.optional() })
    .openapi("ExchangeRequest"),
  leases: z
    .strictObject({ worker, jobs: z.array(z.strictObject({ token, leaseMs }).openapi("Renewal")).min(1).max(1_000) })
    .openapi("LeasesRequest"),
  cancel: z.strictObject({ reason: z.string().max(10_000).optional() }).openapi("CancelRequest"),
  retry: z.strictObject({ typeName: typeName.optional(), input: payload.optional() }).openapi("RetryRequest"),
  trigger: z.strictObject({}).openapi("TriggerRequest"),
  signal: z.strictObject(signal).openapi("SignalRequest"),
};

export const queries = {
  read: z.strictObject({ waitMs: z.coerce.number().int().min(0).max(30_000).optional() }),
};
export const params = { id };

const error = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.unknown().optional(),
    id: z.string().optional(),
  }),
});
const moment = z.iso.datetime();
const chainStatus = z.enum(["active", "completed", "failed", "cancelled"]);

/** The bodies of responses. */
export const replies = {
  error: error.openapi("Error"),
  start: z
    .object({
      chains: z.array(
        z
          .object({ id, typeName, status: chainStatus, createdAt: moment, deduplicated: z.boolean() })
          .openapi("StartedChain"),
      ),
    })
    .openapi("StartReply"),
  chain: z
    .object({
      id,
      typeName,
      status: chainStatus,
      output: payload.optional(),
      error: z.unknown().optional(),
      reason: z.string().optional(),
      createdAt: moment,
      endedAt: moment.optional(),
    })
    .openapi("Chain"),
  exchange: z
    .object({
      results: z.array(
        z
          .object({
            status: z.enum(["settled", "lost", "refused"]),
            reason: z.enum(["lease-lost", "cancelled", "completed-elsewhere"]).optional(),
            error: z.object({ code: z.string(), message: z.string() }).optional(),
          })
          .openapi("Result"),
      ),
      jobs: z.array(
        z
          .looseObject({
            token,
            id,
            chainId: id,
            typeName,
            step: z.number().int(),
            attempt: z.number().int(),
            input: requiredPayload,
            blockers: z.array(z.unknown()),
            lastError: z.unknown(),
            idempotencyKey: z.string(),
            leaseMs: z.number().int(),
          })
          .openapi("Job"),
      ),
      nextDueInMs: z.number().int().optional(),
    })
    .openapi("ExchangeReply"),
  leases: z
    .object({ lost: z.array(z.object({ token, reason: z.string() })), renewed: z.number().int() })
    .openapi("LeasesReply"),
  done: z.object({ id }).openapi("Done"),
  cancelled: z.object({ id, cancelled: z.array(id) }).openapi("Cancelled"),
  signalled: z.object({ delivered: z.enum(["taken", "buffered", "deduplicated"]) }).openapi("Signalled"),
  types: z
    .object({
      types: z.array(
        z.object({
          name: typeName,
          entry: z.boolean(),
          elsewhere: z.boolean(),
          verbs: z.array(z.string()),
          input: z.unknown().optional(),
          output: z.unknown().optional(),
        }),
      ),
    })
    .openapi("TypesReply"),
  health: z.object({ status: z.enum(["ok", "store-unavailable", "closed"]) }).openapi("Health"),
};

/** An object with any names. A record of zod leaves out `__proto__`, which JSON can have as a name like any other. */
function recordOf<Value>(
  value: z.ZodType<Value>,
  additionalProperties: { readonly type: "string" } | { readonly type: "integer"; readonly minimum: number },
) {
  const isRecord = (given: unknown): boolean =>
    typeof given === "object" &&
    given !== null &&
    !Array.isArray(given) &&
    Object.values(given).every((each) => value.safeParse(each).success);
  return z
    .custom<Readonly<Record<string, Value>>>(isRecord, "must be an object whose values are valid")
    .openapi({ type: "object", additionalProperties });
}

/** Checks a value. The error names the place but never the value. */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { readonly data: z.output<Schema> } | { readonly at: string; readonly why: string } {
  const read = schema.safeParse(value);
  if (read.success) return { data: read.data };
  const issue = firstOf(read.error.issues);
  return {
    at: (issue?.path ?? []).map(String).join(".").slice(0, 200),
    why: (issue?.message ?? "is invalid").slice(0, 300),
  };
}

/** The first issue; of a union that of the form that fits best, which is the one that was meant. */
function firstOf([issue]: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  if (issue?.code !== "invalid_union") return issue;
  const fewest = Math.min(...issue.errors.map(({ length }) => length));
  const own = firstOf(issue.errors.findLast(({ length }) => length === fewest) ?? []);
  return own === undefined ? issue : { ...own, path: [...issue.path, ...own.path] };
}
