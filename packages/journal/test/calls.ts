import * as fc from "fast-check";
import type { ClaimedJob, JobStart, Outcome, StateAdapter } from "chainwright/adapter";
import { jobOf } from "./jobs.ts";

/** A call of the port, as data: chains are numbers of those that were started before. */
export type Call =
  | { readonly kind: "start"; readonly starts: readonly StartData[] }
  | { readonly kind: "work"; readonly limit: number; readonly endings: readonly Ending[] }
  | { readonly kind: "cancel" | "retry" | "remove" | "trigger" | "signal"; readonly chain: number }
  | { readonly kind: "pause" | "resume"; readonly typeName: string }
  | { readonly kind: "advance"; readonly ms: number };

interface StartData {
  readonly typeName: string;
  readonly priority: number;
  readonly afterMs: number | undefined;
  /** The chain that it waits for. */
  readonly blocker: number | undefined;
  readonly key: string | undefined;
  readonly waits: boolean;
  readonly deadlineMs: number | undefined;
}

type Ending = "completed" | "continued" | "failed" | "retried" | "returned";

const typeNames = ["a", "b", "c"] as const;
const typeName = fc.constantFrom(...typeNames);
const some = fc.nat(1_000);
const rarely = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 4 });

const start: fc.Arbitrary<StartData> = fc.record({
  typeName,
  priority: fc.integer({ min: -1, max: 1 }),
  afterMs: rarely(fc.nat(2_000)),
  blocker: rarely(some),
  key: rarely(fc.constantFrom("k", "l")),
  waits: fc.nat(7).map((chance) => chance === 0),
  deadlineMs: rarely(fc.nat(5_000)),
});

const anyEnding = fc.constantFrom<Ending>("completed", "completed", "continued", "failed", "retried", "returned");

export const calls: fc.Arbitrary<readonly Call[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant("start"), starts: fc.array(start, { minLength: 1, maxLength: 3 }) }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant("work"),
        limit: fc.integer({ min: 1, max: 5 }),
        endings: fc.array(anyEnding, { minLength: 5, maxLength: 5 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constantFrom("cancel", "retry", "remove", "trigger", "signal"), chain: some }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("pause", "resume"), typeName }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("advance"), ms: fc.nat(3_000) }) },
  ),
  { minLength: 10, maxLength: 80, size: "max" },
);

/** What the calls have made so far. */
export interface Progress {
  now: number;
  jobs: number;
  readonly chains: string[];
}

/** Makes one call, and returns what the store replied. The same progress leads to the same call. */
export async function make(store: StateAdapter<object>, call: Call, progress: Progress): Promise<unknown> {
  const at = { now: progress.now };
  switch (call.kind) {
    case "start":
      return await store.start([{ starts: call.starts.map((data) => startOf(data, progress)) }], at);
    case "work":
      return await work(store, call, progress);
    case "pause":
      return await store.setPauses(
        { pauses: [{ typeName: call.typeName, reason: undefined, by: undefined, forMs: undefined }], resume: [] },
        at,
      );
    case "resume":
      return await store.setPauses({ pauses: [], resume: [call.typeName] }, at);
    case "advance":
      progress.now += call.ms;
      return undefined;
    default:
      return await change(store, call.kind, chainOf(call.chain, progress), at);
  }
}

async function change(
  store: StateAdapter<object>,
  kind: "cancel" | "retry" | "remove" | "trigger" | "signal",
  chainId: string,
  at: { readonly now: number },
): Promise<unknown> {
  switch (kind) {
    case "cancel":
      return await store.cancel([{ chainId, reason: "asked", blockers: "cancel" }], at);
    case "retry":
      return await store.retry([{ chainId, input: undefined, typeName: undefined }], at);
    case "remove":
      return await store.remove({ chainIds: [chainId], cascade: true }, at);
    case "trigger":
      return await store.trigger([chainId], at);
    case "signal":
      return await store.signal(
        [{ chainId, typeName: "a", signal: "go", payload: "1", signalId: undefined, context: undefined }],
        at,
      );
  }
}

const unknownId = "unknown";
const chainOf = (number: number, { chains }: Progress): string => chains[number % chains.length] ?? unknownId;

function newId(progress: Progress): string {
  progress.jobs += 1;
  return `job-${String(progress.jobs).padStart(4, "0")}`;
}

function startOf(data: StartData, progress: Progress): JobStart {
  const { afterMs, blocker, key, waits, deadlineMs, ...rest } = data;
  const blockers =
    blocker === undefined || progress.chains.length === 0
      ? []
      : [{ chainId: chainOf(blocker, progress), typeName: undefined }];
  const id = newId(progress);
  progress.chains.push(id);
  return jobOf(id, {
    ...rest,
    ...(waits
      ? { waits: { until: { afterMs: 1_000 } } }
      : { blockers, schedule: afterMs === undefined ? undefined : { afterMs } }),
    ...(key !== undefined && { deduplication: { key, scope: "active", windowMs: undefined } }),
    ...(deadlineMs !== undefined && { deadline: { afterMs: deadlineMs } }),
  });
}

/** Claims jobs and ends each attempt, so that nothing runs between two calls: a store that is opened again has given back what ran. */
async function work(
  store: StateAdapter<object>,
  { limit, endings }: Extract<Call, { readonly kind: "work" }>,
  progress: Progress,
): Promise<unknown> {
  const at = { now: progress.now };
  const types = typeNames.map((name) => ({ typeName: name, leaseMs: 60_000 }));
  const claim = { workerId: "w", types, limit, deadlines: true };
  const { claimed } = await store.exchange({ outcomes: [], claim }, at);
  const outcomes = claimed.map((job, place) => outcomeOf(job, endings[place] ?? "completed", progress));
  return [claimed, await store.exchange({ outcomes, claim: undefined }, at)];
}

function outcomeOf({ id, fence, typeName: from }: ClaimedJob, ending: Ending, progress: Progress): Outcome {
  const target = { jobId: id, workerId: "w", fence };
  const errors = '[{"message":"no"}]';
  switch (ending) {
    case "completed":
      return { target, kind: "completed", output: "1" };
    case "continued":
      return { target, kind: "continued", next: jobOf(newId(progress), { typeName: from === "a" ? "b" : "a" }) };
    case "failed":
      return { target, kind: "failed", errors };
    case "retried":
      return { target, kind: "deferred", schedule: { afterMs: 500 }, counted: true, errors };
    case "returned":
      return { target, kind: "deferred", schedule: undefined, counted: false, errors: undefined };
  }
}
