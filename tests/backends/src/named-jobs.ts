import {
  claimName,
  type ClaimType,
  type Compensation,
  type JobStart,
  type Outcome,
  type StateAdapter,
} from "chainwright/adapter";

/** Every job has these, and every output its version. The pool has all characters that separate the parts of a claim name. */
const own = { version: 2, pool: "p #3@q" };
const outputVersion = 3;

/**
 * The same adapter for callers that know no versions and pools: it gives one to every job and every claim, and takes them out of the
 * replies. It throws where a reply has others, and where a claim name is told as a type.
 */
export function withNamedJobs<Tx>(adapter: StateAdapter<Tx>): StateAdapter<Tx> {
  const { noteAwaited } = adapter;
  return {
    ...adapter,
    start: async (calls, options) => {
      const given = calls.map(({ starts }) => ({ starts: starts.map(namedStart) }));
      return plain(await adapter.start(given, options));
    },
    exchange: async ({ outcomes, claim }, options) => {
      const types = claim?.types.map((type): ClaimType => ({ ...type, ...own }));
      const given = claim && types && { ...claim, types };
      return plain(await adapter.exchange({ outcomes: outcomes.map(namedOutcome), claim: given }, options));
    },
    settle: async (outcomes, options) => plain(await adapter.settle(outcomes.map(namedOutcome), options)),
    compensate: async (items, options) =>
      plain(
        await adapter.compensate(
          items.map((item) => ({ ...item, compensation: namedCompensation(item.compensation) })),
          options,
        ),
      ),
    tick: async (items, options) => {
      const given = items.map((item) => {
        const starts = item.starts.map(({ at, start }) => ({ at, start: namedStart(start) }));
        return { ...item, starts };
      });
      return plain(await adapter.tick(given, options));
    },
    retry: async (items, options) => {
      const given = items.map((item) => (item.input === undefined ? item : { ...item, version: own.version }));
      return plain(await adapter.retry(given, options));
    },
    trigger: async (ids, options) => plain(await adapter.trigger(ids, options)),
    cancel: async (items, options) => plain(await adapter.cancel(items, options)),
    remove: async (request, options) => plain(await adapter.remove(request, options)),
    getChains: async (ids, options) => plain(await adapter.getChains(ids, options)),
    getKeyHolders: async (keys, options) => plain(await adapter.getKeyHolders(keys, options)),
    ...(noteAwaited && { noteAwaited: async (ids, options) => plain(await noteAwaited(ids, options)) }),
    getJobs: async (ids, options) => plain(await adapter.getJobs(ids, options)),
    listChains: async (query, options) => plain(await adapter.listChains(query, options)),
    listJobs: async (query, options) => plain(await adapter.listJobs(query, options)),
    listDue: async (query, options) => plain(await adapter.listDue(query, options)),
    listBlockers: async (query, options) => plain(await adapter.listBlockers(query, options)),
    count: async (options) => plain(await adapter.count(options)),
    countQueued: async (options) => plain(await adapter.countQueued(options)),
    inspect: async (request, options) => plain(await adapter.inspect(request, options)),
  };
}

interface Backend<Tx> {
  readonly adapter: StateAdapter<Tx>;
  readonly connect?: () => Promise<StateAdapter<Tx>>;
}

/** The same backend of a conformance suite, all of whose adapters are {@link withNamedJobs}. */
export function named<Tx, B extends Backend<Tx>>(backend: B & Backend<Tx>): B {
  const connect = backend.connect?.bind(backend);
  return {
    ...backend,
    adapter: withNamedJobs(backend.adapter),
    ...(connect && { connect: async () => withNamedJobs(await connect()) }),
  };
}

/** Whether a case of the suite gives its jobs no versions and pools itself. */
export function ofPlainJobs({ area, name }: { readonly area: string; readonly name: string }): boolean {
  return area !== "versions and pools" && !name.includes("of a version and a pool");
}

function namedStart(start: JobStart): JobStart {
  const blockers = start.blockers.map((each) => ("start" in each ? { start: namedStart(each.start) } : each));
  return { ...start, ...own, blockers, ...(start.whenStopped && { whenStopped: { ...start.whenStopped, ...own } }) };
}

function namedCompensation(compensation: Compensation): Compensation {
  const { whenStopped } = compensation;
  return { ...compensation, ...own, ...(whenStopped && { whenStopped: { ...whenStopped, ...own } }) };
}

function namedOutcome(outcome: Outcome): Outcome {
  if (outcome.kind === "continued") {
    const { next, compensation } = outcome;
    return {
      ...outcome,
      next: namedStart(next),
      ...(compensation && { compensation: namedCompensation(compensation) }),
    };
  }
  return outcome.kind === "completed" ? { ...outcome, outputVersion } : outcome;
}

/** The reply without versions and pools. */
function plain<T>(reply: T): T {
  return plainValue(reply) as T;
}

function plainValue(value: unknown): unknown {
  if (typeof value === "string" && value.includes("\u0001")) throw new Error(`a claim name is told: ${value}`);
  if (Array.isArray(value)) return value.map(plainValue);
  return isObject(value) ? plainRecord(value) : value;
}

function plainRecord(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { version, pool, outputVersion: written, claimName: name, ...rest } = record;
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(rest)) result[key] = texts.has(key) ? value : plainValue(value);
  if ("version" in record) result["version"] = insteadOf(version, own.version, 1, record);
  if ("pool" in record) result["pool"] = insteadOf(pool, own.pool, undefined, record);
  const given = record["output"] === undefined ? 1 : outputVersion;
  if ("outputVersion" in record) result["outputVersion"] = insteadOf(written, given, 1, record);
  if (mayWait(record)) insteadOf(name, claimName({ typeName: String(record["typeName"]), ...own }), undefined, record);
  return result;
}

/** Texts of the user, which may contain anything. */
const texts: ReadonlySet<string> = new Set(["input", "output", "errors", "context", "reason", "key", "tags"]);

/** Records of jobs that workers may claim say under which name: those that were started, released, retried or triggered. */
function mayWait(record: Readonly<Record<string, unknown>>): boolean {
  return "dueInMs" in record && record["status"] !== "failed";
}

function insteadOf(actual: unknown, expected: unknown, result: unknown, record: unknown): unknown {
  if (actual === expected) return result;
  throw new Error(`expected ${String(expected)}, got ${String(actual)} in ${JSON.stringify(record)}`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
