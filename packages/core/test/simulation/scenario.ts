import * as fc from "fast-check";

/**
 * A whole run as data, so that one that fails can be shrunk: who is there, what clients do and when, how often what goes
 * wrong. All that is left to chance (the order of turns, which call fails) follows from the seed.
 */
export interface Scenario {
  readonly seed: number;
  readonly processes: readonly ProcessSpec[];
  readonly faults: FaultRates;
  readonly broker: BrokerRates;
  readonly actions: readonly Action[];
}

export interface ProcessSpec {
  /** How wrong its clock is. */
  readonly skewMinutes: number;
  readonly hears: boolean;
  readonly concurrency: number;
  readonly prefetch: number;
  readonly handles: "everything" | "steps" | "quick-ones";
  /** The release of the application: the second has given inputs another shape, and reads both. */
  readonly release: "first" | "second";
  readonly pools: readonly (string | null)[];
}

/** How often each fault strikes a call to the store, in thousandths. */
export interface FaultRates {
  readonly failBefore: number;
  readonly replyLost: number;
  readonly delay: number;
  readonly die: number;
  /** The store chokes on several outcomes together. */
  readonly choke: number;
  /** Another transaction holds the rows of an outcome. */
  readonly busy: number;
}

/** What befalls a message, in thousandths. */
export interface BrokerRates {
  readonly lost: number;
  readonly doubled: number;
  readonly late: number;
  readonly junk: number;
}

export type StepType = "step" | "quick";

/** What a simulated step does; it is the step's own input, so that any process can run any step. */
export interface Plan {
  readonly mode: "value" | "atomic" | "staged" | "prepared";
  /** Steps of the chain after this one. */
  readonly stepsLeft: number;
  readonly nextType: StepType;
  /** Attempts that throw before one succeeds. */
  readonly failures: number;
  readonly fatal: boolean;
  /** How long the handler takes, in simulated time. */
  readonly durationMs: number;
  /** Attempts that never end; only of a type that has a timeout. */
  readonly hangs: number;
  readonly reschedules: number;
  readonly middleware: "passes" | "throws-before" | "throws-after";
  /**
   * What the first attempt leaves behind: a `prepare` or `complete` that it does not wait for, a `complete` whose callback never
   * ends (only of a type that has a timeout), or a call that it makes when it is over.
   */
  readonly leaves: "nothing" | "prepare" | "complete" | "hanging-complete" | "late-prepare" | "late-complete";
}

export interface StartSpec {
  readonly typeName: StepType;
  readonly plan: Plan;
  readonly priority: number;
  readonly afterMs: number | undefined;
  /** The scope of its key; all of a type and scope have the same. Blockers and those that have blockers are not debounced or throttled. */
  readonly key: "active" | "any" | "debounce" | "throttle" | undefined;
  readonly blockers: readonly BlockerSpec[];
  readonly onBlockerFailure: "fail" | "wait";
  readonly pool: string | undefined;
}

/** One that was started before, or one begun with it. */
export type BlockerSpec = { readonly known: number } | { readonly inline: StartSpec };

/** One thing that a client does. `process` and `chain` are counted round what is there, see `act.ts`. */
export type Action = { readonly atMs: number; readonly process: number } & (
  | { readonly kind: "start"; readonly starts: readonly StartSpec[]; readonly tx: "none" | "commit" | "rollback" }
  | { readonly kind: "await"; readonly chain: number; readonly timeoutMs: number | undefined }
  | { readonly kind: "cancel" | "retry"; readonly chains: readonly number[] }
  | { readonly kind: "complete" | "trigger"; readonly chain: number }
  | { readonly kind: "continue"; readonly chain: number; readonly plan: Plan }
  | { readonly kind: "delete"; readonly chain: number; readonly cascade: boolean }
  | { readonly kind: "pause"; readonly typeName: StepType; readonly forMs: number | undefined }
  | { readonly kind: "resume"; readonly typeName: StepType }
  | { readonly kind: "stop"; readonly timeoutMs: number }
  | { readonly kind: "kill" | "spawn" }
);

const pool = "p";

/** A process that can run every job. */
export const anyJob = { release: "second", pools: [null, pool] } as const;

const stepType = fc.constantFrom<StepType>("step", "step", "quick");

const plan: fc.Arbitrary<Plan> = fc.record({
  mode: fc.constantFrom<Plan["mode"]>("value", "atomic", "staged", "prepared"),
  stepsLeft: fc.nat(2),
  nextType: stepType,
  failures: fc.constantFrom(0, 0, 0, 1, 2),
  fatal: fc.constantFrom(false, false, true),
  durationMs: fc.oneof(
    { weight: 6, arbitrary: fc.nat(50) },
    { weight: 3, arbitrary: fc.nat(1_500) },
    { weight: 1, arbitrary: fc.nat(6_000) },
  ),
  hangs: fc.constantFrom(0, 0, 0, 1),
  reschedules: fc.constantFrom(0, 0, 0, 0, 0, 1, 2),
  middleware: fc.constantFrom<Plan["middleware"]>(
    "passes",
    "passes",
    "passes",
    "passes",
    "throws-before",
    "throws-after",
  ),
  leaves: fc.oneof(
    { weight: 5, arbitrary: fc.constant("nothing" as const) },
    {
      weight: 5,
      arbitrary: fc.constantFrom(
        "prepare" as const,
        "complete" as const,
        "hanging-complete" as const,
        "late-prepare" as const,
        "late-complete" as const,
      ),
    },
  ),
});

function startSpec(blockers: fc.Arbitrary<readonly BlockerSpec[]>): fc.Arbitrary<StartSpec> {
  return fc.record({
    typeName: stepType,
    plan,
    priority: fc.nat(2),
    afterMs: rarely(fc.nat(5_000)),
    key: rarely(fc.constantFrom("active", "active", "any")),
    blockers,
    onBlockerFailure: fc.constantFrom("fail", "wait"),
    pool: rarely(fc.constant(pool)),
  });
}

const lone = startSpec(fc.constant([]));
const blocker: fc.Arbitrary<BlockerSpec> = fc.oneof(fc.record({ known: fc.nat(9) }), fc.record({ inline: lone }));
const blocked = startSpec(fc.array(blocker, { minLength: 1, maxLength: 3 }));
const chains = fc.array(fc.nat(9), { minLength: 1, maxLength: 2 });
const chain = fc.nat(9);

/** When something has had the time to fail. */
const later = fc.integer({ min: 3_000, max: 12_000 });
const when = { atMs: fc.nat(6_000), process: fc.nat(3) };

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      ...when,
      kind: fc.constant("start"),
      starts: fc.array(fc.oneof({ weight: 2, arbitrary: lone }, { weight: 1, arbitrary: blocked }), {
        minLength: 1,
        maxLength: 2,
      }),
      tx: fc.constantFrom("none", "none", "none", "none", "commit", "rollback"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ ...when, kind: fc.constant("await"), chain, timeoutMs: rarely(fc.nat(8_000)) }),
  },
  { weight: 2, arbitrary: fc.record({ ...when, kind: fc.constant("cancel"), chains }) },
  { weight: 3, arbitrary: fc.record({ ...when, atMs: later, kind: fc.constant("retry"), chains }) },
  { weight: 2, arbitrary: fc.record({ ...when, kind: fc.constantFrom("complete", "trigger"), chain }) },
  { weight: 1, arbitrary: fc.record({ ...when, kind: fc.constant("continue"), chain, plan }) },
  { weight: 1, arbitrary: fc.record({ ...when, kind: fc.constant("delete"), chain, cascade: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      ...when,
      kind: fc.constant("pause"),
      typeName: stepType,
      forMs: rarely(fc.integer({ min: 1, max: 8_000 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ ...when, kind: fc.constant("resume"), typeName: stepType }) },
  { weight: 1, arbitrary: fc.record({ ...when, kind: fc.constant("stop"), timeoutMs: fc.nat(3_000) }) },
  { weight: 1, arbitrary: fc.record({ ...when, kind: fc.constantFrom("kill", "spawn") }) },
);

const noFaults: FaultRates = { failBefore: 0, replyLost: 0, delay: 0, die: 0, choke: 0, busy: 0 };

const faults: fc.Arbitrary<FaultRates> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(noFaults) },
  {
    weight: 3,
    arbitrary: fc.record({
      failBefore: fc.nat(100),
      replyLost: fc.nat(100),
      delay: fc.nat(300),
      die: fc.nat(20),
      choke: fc.nat(100),
      busy: fc.nat(300),
    }),
  },
);

const process: fc.Arbitrary<ProcessSpec> = fc.record({
  skewMinutes: fc.integer({ min: -60, max: 60 }),
  hears: fc.boolean(),
  concurrency: fc.integer({ min: 1, max: 4 }),
  prefetch: fc.nat(3),
  handles: fc.constantFrom("everything", "everything", "steps", "quick-ones"),
  release: fc.constantFrom("first", "second"),
  pools: fc.constantFrom<ProcessSpec["pools"]>([null], [null], [null, pool], [pool]),
});

/** Starts of one type with one key, one after the other. */
const burst: fc.Arbitrary<readonly Action[]> = fc
  .record({
    fromMs: fc.nat(3_000),
    everyMs: fc.integer({ min: 20, max: 900 }),
    typeName: stepType,
    key: fc.constantFrom("debounce", "debounce", "throttle"),
    starts: fc.array(
      fc.record({ start: lone, process: fc.nat(3), tx: fc.constantFrom("none", "none", "commit", "rollback") }),
      { minLength: 2, maxLength: 8 },
    ),
  })
  .map(({ fromMs, everyMs, typeName, key, starts }) =>
    starts.map(({ start, process: by, tx }, n): Action => {
      const begun = { ...start, typeName, key, afterMs: undefined };
      return { atMs: fromMs + n * everyMs, process: by, kind: "start", starts: [begun], tx };
    }),
  );

const plain = fc.record({
  seed: fc.noShrink(fc.nat(0x7fffffff)),
  processes: fc.array(process, { minLength: 1, maxLength: 3 }),
  faults,
  broker: fc.record({ lost: fc.nat(200), doubled: fc.nat(200), late: fc.nat(200), junk: fc.nat(100) }),
  actions: fc.noBias(fc.array(action, { minLength: 1, maxLength: 20, size: "max" })),
});

export const scenarios: fc.Arbitrary<Scenario> = fc
  .record({ scenario: plain, burst: fc.oneof(fc.constant([]), burst) })
  .map(({ scenario, burst: starts }) => ({ ...scenario, actions: [...scenario.actions, ...starts] }));

/** Absent three times out of four. */
function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}
