import type { createErasedClient } from "../../src/client/erased-client.ts";
import { FatalError } from "../../src/model/error.ts";
import type { ErasedDefinition } from "../../src/worker/processor.ts";
import type { Life } from "./faulty-state.ts";

/** What a simulated step does; it is the step's own input, so that any process can run any step. */
export interface Plan {
  readonly label: string;
  readonly mode: "value" | "atomic" | "staged" | "prepared";
  /** Steps of the chain after this one. */
  readonly stepsLeft: number;
  /** Attempts that throw before one succeeds. */
  readonly failures: number;
  readonly fatal: boolean;
  /** How long the handler takes, in simulated time. */
  readonly durationMs: number;
  /** How many blockers the job has: none may be missing when it runs. */
  readonly blockers: number;
}

interface Context {
  readonly job: {
    readonly id: string;
    readonly attempt: number;
    readonly input: Plan;
    readonly blockers: readonly { readonly output: unknown }[];
  };
  readonly prepare: (
    options: { readonly mode: "staged" | "atomic" },
    callback?: (scope: Scope) => Promise<unknown>,
  ) => Promise<unknown>;
  readonly complete: (callback: (scope: Scope) => Promise<unknown>) => Promise<unknown>;
  readonly continueWith: (item: object) => object;
}

interface Scope {
  readonly tx: unknown;
  readonly continueWith: (item: object) => object;
}

/** The handlers of one process. Every transactional step starts a chain of type `effect`: the effect that must be applied once. */
export function handlers(
  world: { readonly violations: string[] },
  client: ReturnType<typeof createErasedClient>["client"],
  life: Life,
): Readonly<Record<string, ErasedDefinition>> {
  const run = async ({ job, prepare, complete, continueWith }: Context): Promise<unknown> => {
    const plan = job.input;
    if (job.blockers.length !== plan.blockers || job.blockers.some((blocker) => blocker.output === undefined)) {
      world.violations.push(`${plan.label} ran with ${job.blockers.length} of ${plan.blockers} blockers`);
    }
    if (plan.mode === "staged") await prepare({ mode: "staged" });
    if (plan.mode === "prepared") await prepare({ mode: "atomic" });
    await new Promise<void>((resolve) => void life.clock.setTimer(resolve, plan.durationMs));
    if (job.attempt <= plan.failures)
      throw plan.fatal ? new FatalError("fatal, as planned") : new Error("failed, as planned");
    if (plan.mode === "value") return next(plan, continueWith);
    return await complete(async (scope) => {
      await client.startChain({ tx: scope.tx, typeName: "effect", input: { jobId: job.id, attempt: job.attempt } });
      return next(plan, scope.continueWith);
    });
  };
  const retry = { maxAttempts: 60, backoff: { initialMs: 10, multiplier: 1.5, maxMs: 1_000, jitter: 0.5 } };
  return {
    step: { handler: (context) => run(context as Context), retry },
    effect: { handler: async () => null, retry },
  };
}

/** The next step is as the last, one shorter, and does not fail: or the chain's output. */
function next(plan: Plan, continueWith: (item: object) => object): unknown {
  if (plan.stepsLeft === 0) return { label: plan.label };
  return continueWith({
    typeName: "step",
    input: { ...plan, stepsLeft: plan.stepsLeft - 1, blockers: 0, failures: 0 } satisfies Plan,
  });
}
