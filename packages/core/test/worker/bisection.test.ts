import * as fc from "fast-check";
import { expect, it } from "vitest";
import { createRig } from "../rig.ts";

interface Poisoned {
  readonly maxSize: number;
  /** Of each job: whether it breaks every call that it is in. */
  readonly jobs: readonly boolean[];
  /** Attempts beyond those that the bisection needs. */
  readonly spare: number;
  readonly concurrency: number;
  /** Times that a process dies with all jobs that are ready, before the worker begins. */
  readonly deaths: number;
}

interface Call {
  readonly ids: readonly string[];
  readonly attempt: number;
}

const poisoned: fc.Arbitrary<Poisoned> = fc.integer({ min: 0, max: 40 }).chain((rate) =>
  fc.record({
    maxSize: fc.integer({ min: 1, max: 40 }),
    jobs: fc.array(
      fc.integer({ min: 0, max: 99 }).map((n) => n < rate),
      { minLength: 1, maxLength: 80 },
    ),
    spare: fc.integer({ min: 0, max: 2 }),
    concurrency: fc.integer({ min: 1, max: 3 }),
    deaths: fc.integer({ min: 0, max: 2 }),
  }),
);

interface Context {
  readonly jobs: readonly { readonly id: string; readonly attempt: number; readonly input: boolean }[];
}

const roundsOf = (maxSize: number): number => Math.floor(Math.log2(maxSize)) + 1;

/** Works the jobs off. */
async function workOff({ maxSize, jobs, spare, concurrency, deaths }: Poisoned) {
  const calls: Call[] = [];
  const maxAttempts = roundsOf(maxSize) + spare;
  const rig = createRig({
    worker: { concurrency },
    processors: {
      a: {
        retry: { maxAttempts },
        batch: {
          maxSize,
          maxWaitMs: 100,
          handler: (context) => {
            const { jobs: own } = context as Context;
            calls.push({ ids: own.map(({ id }) => id), attempt: Math.min(...own.map(({ attempt }) => attempt)) });
            if (own.some(({ input }) => input)) throw new Error("poison");
            return own.map(({ attempt }) => attempt);
          },
        },
      },
    },
  });
  const ids = await Promise.all(jobs.map((isPoison) => rig.start("a", isPoison)));
  for (let death = 1; death <= Math.min(deaths, roundsOf(maxSize) - 1); death += 1) {
    const claim = { workerId: `dead ${death}`, types: [{ typeName: "a", leaseMs: 10 }], limit: jobs.length };
    await rig.store.exchange({ outcomes: [], claim }, { now: rig.clock.now() });
    await rig.clock.advance(11);
  }
  const worker = rig.createWorker();
  await worker.start();
  await rig.clock.advance(3_600_000);
  await worker.stop();
  const ended = await Promise.all(ids.map(async (id) => await rig.job(id)));
  return { calls, ids, ended, maxAttempts };
}

/** What is wrong with how each job ended, and with the sizes of the calls. */
function judge({ maxSize, jobs }: Poisoned, { calls, ids, ended, maxAttempts }: Awaited<ReturnType<typeof workOff>>) {
  const wrongJobs = jobs.flatMap((isPoison, at) => {
    const job = ended[at];
    const alone = calls.findLast((call) => call.ids.includes(ids[at] ?? ""))?.ids.length === 1;
    const isRight = isPoison
      ? job?.status === "failed" && job.attempt === maxAttempts && alone
      : job?.status === "completed" && job.attempt <= roundsOf(maxSize);
    return isRight ? [] : [{ isPoison, status: job?.status, attempt: job?.attempt, alone }];
  });
  const mostAt = (attempt: number) => Math.max(1, Math.floor(maxSize / 2 ** (attempt - 1)));
  return { wrongJobs, tooLarge: calls.filter((call) => call.ids.length > mostAt(call.attempt)) };
}

it("each poison job fails alone, and the others succeed within log2(maxSize) + 1 attempts", { timeout: 600_000 }, () =>
  fc.assert(
    fc.asyncProperty(poisoned, async (given) => {
      expect(judge(given, await workOff(given))).toEqual({ wrongJobs: [], tooLarge: [] });
    }),
    { numRuns: 60, seed: 1 },
  ),
);
