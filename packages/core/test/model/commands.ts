import * as fc from "fast-check";

/** A command as data. It names chains and jobs by a number, modulo the number of those that exist. */
export type Command =
  | { readonly kind: "start"; readonly starts: readonly StartData[] }
  | {
      readonly kind: "claim";
      readonly worker: number;
      readonly turned: boolean;
      readonly limit: number;
      readonly leaseMs: number;
    }
  | { readonly kind: "settle"; readonly attempt: number; readonly ending: EndingData }
  | { readonly kind: "renew"; readonly attempt: number; readonly leaseMs: number }
  | { readonly kind: "complete"; readonly chain: number; readonly typeName: number }
  | { readonly kind: "continue"; readonly chain: number; readonly typeName: number; readonly next: NextData }
  | { readonly kind: "fail"; readonly chain: number }
  | { readonly kind: "cancel" | "retry"; readonly chains: readonly number[] }
  | { readonly kind: "trigger"; readonly jobs: readonly number[] }
  | { readonly kind: "delete"; readonly chains: readonly number[]; readonly cascade: boolean }
  | { readonly kind: "advance"; readonly ms: number };

export interface NextData {
  readonly typeName: number;
  readonly priority: number;
  readonly afterMs: number | undefined;
  /** Chains that exist. */
  readonly blockers: readonly number[];
  readonly onBlockerFailure: "fail" | "wait";
}

export interface StartData extends NextData {
  readonly key:
    | { readonly name: number; readonly scope: "active" | "any"; readonly windowMs: number | undefined }
    | undefined;
  /** How many blockers are started with it. */
  readonly inline: number;
  /** Whether it uses the id of a job that exists. */
  readonly reusesId: boolean;
}

export type EndingData =
  | { readonly kind: "completed" | "failed" }
  | { readonly kind: "deferred"; readonly afterMs: number | undefined; readonly counted: boolean }
  | { readonly kind: "continued"; readonly next: NextData };

const some = fc.nat(30);
const few = fc.array(some, { minLength: 1, maxLength: 3 });

const next: fc.Arbitrary<NextData> = fc.record({
  typeName: fc.nat(2),
  priority: fc.nat(1),
  afterMs: rarely(fc.nat(2_000)),
  blockers: fc.oneof({ weight: 1, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: few }),
  onBlockerFailure: fc.constantFrom("fail", "fail", "wait"),
});

const key = fc.record({
  name: fc.nat(1),
  scope: fc.constantFrom("active", "any"),
  windowMs: rarely(fc.integer({ min: 1, max: 3_000 })),
});

const start: fc.Arbitrary<StartData> = fc
  .tuple(next, rarely(key), fc.nat(2), fc.integer({ min: 0, max: 15 }))
  .map(([data, held, inline, chance]) => ({ ...data, key: held, inline, reusesId: chance === 15 }));

const deferral = fc.record({
  kind: fc.constant("deferred" as const),
  afterMs: rarely(fc.nat(2_000)),
  counted: fc.boolean(),
});

const ending: fc.Arbitrary<EndingData> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("completed", "failed") }) },
  { weight: 1, arbitrary: deferral },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("continued"), next }) },
);

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("start"), starts: fc.array(start, { minLength: 1, maxLength: 3 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("claim"),
      worker: fc.nat(1),
      turned: fc.boolean(),
      limit: fc.integer({ min: 1, max: 5 }),
      leaseMs: fc.constantFrom(500, 5_000),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("settle"), attempt: some, ending }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("renew"), attempt: some, leaseMs: fc.constantFrom(500, 5_000) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("complete"), chain: some, typeName: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("continue"), chain: some, typeName: fc.nat(2), next }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("fail"), chain: some }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom("cancel", "retry", "retry"), chains: few }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("trigger"), jobs: few }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete"), chains: few, cascade: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("advance"), ms: fc.nat(3_000) }) },
);

/** A sequence of random commands for a store. */
export const commands: fc.Arbitrary<readonly Command[]> = fc.noBias(
  fc.array(command, { minLength: 1, maxLength: 40, size: "max" }),
);

/** Absent three times out of four. */
function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}
