import type { DefinedBreaker, DefinedLimit } from "../../../src/model/limit.ts";
import type { LimitChange } from "../../../src/ports/limit.ts";
import type { ErasedDefinition } from "../../../src/worker/processor.ts";
import type { Life } from "../life.ts";

/** The input of a simulated job: its key, and what happens to it. */
export interface Input {
  readonly tenant: string;
  readonly durationMs: number;
  readonly failures: number;
  readonly inTransaction: boolean;
}

export const keys: readonly string[] = Array.from({ length: 20 }, (_, n) => `t${n}`);

const retry = { maxAttempts: 60, backoff: { initialMs: 50, multiplier: 2, maxMs: 1_000, jitter: 0.5 } };

/** Places by key, places and a rate that many keys share, and an order by key that retries keep. */
export function definitions(below: (most: number) => number): readonly DefinedLimit[] {
  const tenant = (input: unknown) => (input as Input).tenant;
  const weight = undefined;
  const places = { concurrency: 1 + below(3), rate: undefined };
  const rate = { count: 3 + below(8), perMs: 500 + below(1_500), spread: false };
  const shared = { concurrency: 4 + below(4), rate: below(3) === 0 ? undefined : rate };
  const inOrder = { concurrency: 1, rate: undefined };
  const limits = [
    { name: "tenant", keys: { a: tenant, b: tenant }, rule: places, weight, holds: false },
    { name: "shared", keys: { b: () => "all" }, rule: shared, weight, holds: false },
    { name: "order", keys: { order: tenant }, rule: inOrder, weight, holds: true },
  ];
  return limits.map((limit) => (below(3) === 0 ? limit : { ...limit, breaker: breaker(below) }));
}

function breaker(below: (most: number) => number): DefinedBreaker {
  return { failures: 1 + below(3), withinMs: 1_000 + below(4_000), openMs: 200 + below(2_000), counts: isPlanned };
}

const planned = "failed, as planned";
const isPlanned = (error: unknown): boolean => error instanceof Error && error.message === planned;

export function resumeAll(): readonly LimitChange[] {
  const all = [undefined, "all", ...keys];
  return ["tenant", "shared", "order"].flatMap((limit) =>
    all.map((key): LimitChange => ({ kind: "resume", limit, key })),
  );
}

/** What the workers of a process run. */
export function processorsOf(life: Life): Readonly<Record<string, ErasedDefinition>> {
  const definition: ErasedDefinition = { handler: (context: object) => run(life, context), retry };
  return { a: definition, b: definition, order: definition, free: definition };
}

async function run(life: Life, context: object): Promise<unknown> {
  const { job, complete } = context as {
    readonly job: { readonly attempt: number; readonly input: Input };
    readonly complete: (callback: () => Promise<unknown>) => Promise<unknown>;
  };
  const { durationMs, failures, inTransaction } = job.input;
  const wait = (ms: number) => new Promise<void>((resolve) => void life.clock.setTimer(resolve, ms));
  await wait(durationMs);
  if (job.attempt <= failures) throw new Error(planned);
  if (!inTransaction) return null;
  return await complete(async () => {
    await wait(durationMs / 4);
    return null;
  });
}
