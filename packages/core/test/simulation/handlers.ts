import type { createErasedClient } from "../../src/client/erased-client.ts";
import { FatalError } from "../../src/model/error.ts";
import type { VersionSlice } from "../../src/model/version-step.ts";
import type { ErasedDefinition, ErasedMiddleware } from "../../src/worker/processor.ts";
import type { Life } from "./life.ts";
import type { Plan, ProcessSpec, StepType } from "./scenario.ts";

/** The input of a simulated step: its plan, and what an oracle has to know of it. */
export interface StepInput extends Plan {
  /** How many blockers the job has: none may be missing when it runs. */
  readonly blockers: number;
  readonly key: string | undefined;
  /** Whether a client continued it instead of a handler. */
  readonly fromOutside: boolean;
  /** That of its first step, which the others inherit; `unknownPool` after a client has continued it. */
  readonly pool: string | undefined;
  /** Set by the second release of the application. */
  readonly shape?: 2 | undefined;
}

/** What the handlers of a process need to know of the world around it. */
export interface Surroundings {
  readonly client: ReturnType<typeof createErasedClient>["client"];
  readonly life: Life;
  readonly spec: ProcessSpec;
  readonly violation: (text: string) => void;
  /** Whether its worker has stopped: then nothing may begin. */
  readonly hasStopped: () => boolean;
  /** How often jobs were rescheduled, over all processes. */
  readonly rescheduled: Map<string, number>;
}

interface Context {
  readonly job: {
    readonly id: string;
    readonly attempt: number;
    readonly input: StepInput;
    readonly blockers: readonly { readonly output: unknown }[];
  };
  readonly prepare: (
    options: { readonly mode: "staged" | "atomic" },
    callback?: () => Promise<unknown>,
  ) => Promise<unknown>;
  readonly complete: (callback: (scope: Scope) => Promise<unknown>) => Promise<unknown>;
  readonly continueWith: (item: object) => object;
  readonly reschedule: (schedule: { readonly afterMs: number }) => never;
}

interface Scope {
  readonly tx: unknown;
  readonly continueWith: (item: object) => object;
}

export const unknownPool = "unknown";

const quickTimeoutMs = 500;
const retry = { maxAttempts: 60, backoff: { initialMs: 10, multiplier: 1.5, maxMs: 1_000, jitter: 0.5 } };

/** The handlers of one process. Every transactional step starts a chain of type `effect`: the effect that must be applied once. */
export function handlers(around: Surroundings): Readonly<Record<StepType | "effect", ErasedDefinition>> {
  const handler = async (context: object): Promise<unknown> => {
    const over = { is: false };
    callLate(around, context as Context, over);
    try {
      return await run(around, context as Context);
    } finally {
      over.is = true;
    }
  };
  return {
    step: { handler, retry, timeoutMs: Infinity },
    quick: { handler, retry, timeoutMs: 2 * quickTimeoutMs },
    effect: { handler: async () => null, retry },
  };
}

/** Throws as planned, before the handler or after it. */
export const middleware: ErasedMiddleware = async (context, inner) => {
  const { input, attempt } = (context as Partial<Context>).job ?? {};
  const throws = input !== undefined && "mode" in input && (attempt ?? 0) <= input.failures;
  if (throws && input.middleware === "throws-before") throw new Error("the middleware failed, as planned");
  const result = await inner();
  if (throws && input.middleware === "throws-after") throw new Error("the middleware failed afterwards, as planned");
  return result;
};

async function run(around: Surroundings, context: Context): Promise<unknown> {
  const { job, prepare, complete, continueWith } = context;
  const { client, life, spec } = around;
  const { input } = job;
  if (input.shape !== shapeOf(spec).shape)
    around.violation(`job ${job.id} ran in the ${spec.release} release with an input of another`);
  if (input.pool !== unknownPool && !spec.pools.includes(input.pool ?? null))
    around.violation(`job ${job.id} ran outside of its pool`);
  if (around.hasStopped()) around.violation(`job ${job.id} began on a worker that had stopped`);
  if (job.blockers.length !== input.blockers || job.blockers.some((blocker) => blocker.output === undefined)) {
    around.violation(`job ${job.id} ran with ${job.blockers.length} of ${input.blockers} blockers`);
  }
  const leaves = leftBy(context);
  if (leaves === "prepare") prepare({ mode: "atomic" }).catch(() => undefined);
  else if (input.mode === "staged") await prepare({ mode: "staged" });
  else if (input.mode === "prepared") await prepare({ mode: "atomic" });
  await new Promise<void>((resolve) => void life.clock.setTimer(resolve, input.durationMs));
  const completes = () =>
    complete(async (scope) => {
      await client.startChain({ tx: scope.tx, typeName: "effect", input: { jobId: job.id, attempt: job.attempt } });
      if (leaves === "hanging-complete") await never();
      return next(input, scope.continueWith);
    });
  if (leaves === "complete" && input.mode !== "value") void completes();
  stumble(around, context);
  if (hangs(context)) await never();
  if (input.mode === "value") return next(input, continueWith);
  return leaves === "complete" ? undefined : await completes();
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

function leftBy({ job: { input, attempt } }: Context): Plan["leaves"] {
  return attempt <= 1 ? input.leaves : "nothing";
}

/** How long after its planned end a late call is made. */
const lateMs = 100;

/** Calls the context after the handler has ended. The call may succeed or fail, but its callback must not run. */
function callLate({ life, violation }: Surroundings, context: Context, over: { readonly is: boolean }): void {
  const leaves = leftBy(context);
  if (leaves !== "late-prepare" && leaves !== "late-complete") return;
  const { job, prepare, complete } = context;
  life.clock.setTimer(() => {
    if (!over.is || life.isDead()) return;
    const callback = async () => violation(`job ${job.id}: a callback ran after its attempt was over`);
    const call = leaves === "late-complete" ? complete(callback) : prepare({ mode: "atomic" }, callback);
    call.then(
      () => violation(`job ${job.id}: ${leaves} was not refused`),
      () => undefined,
    );
  }, job.input.durationMs + lateMs);
}

/** Fails or puts itself off as planned. */
function stumble({ rescheduled }: Surroundings, { job, reschedule }: Context): void {
  const { input, attempt } = job;
  const times = rescheduled.get(job.id) ?? 0;
  if (times < input.reschedules) {
    rescheduled.set(job.id, times + 1);
    reschedule({ afterMs: 20 });
  }
  if (attempt > input.failures || input.middleware === "throws-after") return;
  throw input.fatal ? new FatalError("fatal, as planned") : new Error("failed, as planned");
}

function hangs({ job: { input, attempt } }: Context): boolean {
  return attempt <= input.hangs;
}

/** The next step is as the last, one shorter, and does not stumble: or the chain's output. */
function next(input: StepInput, continueWith: (item: object) => object): unknown {
  if (input.stepsLeft === 0) return { by: "handler" };
  const plan = {
    ...input,
    stepsLeft: input.stepsLeft - 1,
    failures: 0,
    hangs: 0,
    reschedules: 0,
    leaves: "nothing" as const,
  };
  return continueWith({ typeName: input.nextType, input: stepInput(input.nextType, plan, { pool: input.pool }) });
}

/** What the inputs of a release have besides. */
export function shapeOf({ release }: ProcessSpec): Pick<StepInput, "shape"> {
  return release === "second" ? { shape: 2 } : {};
}

const steps = [{ up: (input: unknown) => ({ ...(input as StepInput), shape: 2 }), back: undefined }];

/** The versions of inputs that a release knows. */
export function versionsOf({ release }: ProcessSpec): readonly VersionSlice[] {
  const known = release === "second" ? { step: { steps }, quick: { steps } } : {};
  return [{ inputs: known, outputs: {}, writes: {} }];
}

/** The input of a step of a type: one without a timeout may not hang, one with a timeout has to be able to keep to it. */
export function stepInput(typeName: StepType, plan: Plan, rest: Partial<StepInput> = {}): StepInput {
  const { durationMs } = plan;
  const leaves = plan.leaves === "hanging-complete" ? "nothing" : plan.leaves;
  const fitted = typeName === "quick" ? { durationMs: durationMs % quickTimeoutMs } : { hangs: 0, leaves };
  return { ...plan, ...fitted, blockers: 0, key: undefined, fromOutside: false, pool: undefined, ...rest };
}
