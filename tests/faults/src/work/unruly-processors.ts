import { setTimeout as delay } from "node:timers/promises";
import { createProcessors, type CompleteContext, type Completed, type Prepare, type Processors } from "chainwright";
import type { FaultTx } from "../store/open-store.ts";
import { unrulyJobTypes } from "./job-types.ts";
import type { Lateness } from "./job-types.ts";
import { journaled, retryOf } from "./surroundings.ts";
import type { JobFacts, Surroundings } from "./surroundings.ts";
import { createWrites } from "./writes.ts";

/** By then the attempt is over: its handler ended in an earlier turn of the event loop. */
const lateByMs = 30;
/** After this many attempts a handler follows the rules. */
const unrulyAttempts = 2;

export function unrulyProcessors(around: Surroundings): Processors {
  const { client, leaseMs } = around;
  const wrote = createWrites(around);
  const misbehave = createLatenesses(around);
  const retry = retryOf(around);
  return createProcessors({
    client,
    jobTypes: unrulyJobTypes,
    middleware: [journaled(around)],
    processors: {
      late: {
        retry,
        timeoutMs: leaseMs,
        handler: async ({ job, prepare, complete, reschedule }) => {
          // An attempt that was rescheduled is not counted: it passes at random.
          if (job.attempt <= unrulyAttempts && Math.random() < 0.7) {
            const call: Late = { job, prepare, complete, reschedule: () => reschedule({ afterMs: lateByMs }) };
            return misbehave[job.input.how](call);
          }
          return complete(async (scope) => {
            await wrote.ended(job, scope);
            return 1;
          });
        },
      },
      slow: {
        retry,
        handler: ({ job, complete }) =>
          complete(async (scope) => {
            await wrote.ended(job, scope);
            await delay(1.5 * leaseMs);
            return 1;
          }),
      },
    },
  });
}

/** What an unruly handler calls. */
interface Late {
  readonly job: JobFacts;
  readonly prepare: Prepare<FaultTx>;
  readonly complete: (
    callback: (scope: Pick<CompleteContext<FaultTx, unknown>, "tx">) => Promise<number>,
  ) => Promise<Completed>;
  readonly reschedule: () => never;
}

type Latenesses = Readonly<Record<Lateness, (call: Late) => Promise<Completed | number>>>;

/** Each write is a violation if it is ever found. */
function createLatenesses(around: Surroundings): Latenesses {
  const wrote = createWrites(around);
  const prepares = ({ job, prepare }: Late, waitMs: number) =>
    prepare({ mode: "atomic" }, async (scope) => {
      await wrote.late(job, scope);
      await delay(waitMs);
    });
  const completes = ({ job, complete }: Late) =>
    complete(async (scope) => {
      await wrote.late(job, scope);
      return 1;
    });
  return {
    "prepares late": async (call) => {
      float(delay(lateByMs).then(() => prepares(call, 0)));
      throw new Error("lost a race with its own deadline, as planned");
    },
    "is preparing": async (call) => {
      float(prepares(call, 2 * lateByMs));
      await delay(lateByMs);
      throw new Error("failed while it prepared, as planned");
    },
    "does not await prepare": async (call) => {
      float(prepares(call, 0));
      return 1;
    },
    "completes late": async (call) => {
      float(delay(lateByMs).then(() => completes(call)));
      throw new Error("failed before it completed, as planned");
    },
    "completes after it rescheduled": async (call) => {
      // The next attempt is running by then.
      float(delay(2 * lateByMs).then(() => completes(call)));
      return call.reschedule();
    },
    "never ends its callback": async ({ job, complete }) =>
      complete(async (scope) => {
        await wrote.late(job, scope);
        return new Promise<never>(() => undefined);
      }),
  };
}

/** Does not wait for a call. */
function float(work: Promise<unknown>): void {
  work.catch(() => undefined);
}
