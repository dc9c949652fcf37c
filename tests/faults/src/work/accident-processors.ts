import { createProcessors, FatalError, type Processors } from "chainwright";
import { accidentJobTypes } from "./job-types.ts";
import { journaled, retryOf } from "./surroundings.ts";
import type { Surroundings } from "./surroundings.ts";
import { createWrites } from "./writes.ts";

export function accidentProcessors(around: Surroundings): Processors {
  const { client } = around;
  const wrote = createWrites(around);
  const retry = retryOf(around);
  return createProcessors({
    client,
    jobTypes: accidentJobTypes,
    middleware: [journaled(around)],
    processors: {
      stumble: {
        retry,
        handler: async ({ job, complete, reschedule }) => {
          // A postponed attempt is not counted: it runs again with the same number, and passes at random.
          if (job.input.putOff && Math.random() < 0.5) reschedule({ afterMs: 20 });
          if (job.attempt <= job.input.failures) throw new Error("stumbled, as planned");
          return complete(async (scope) => {
            await wrote.ended(job, scope);
            return 1;
          });
        },
      },
      broken: {
        retry,
        handler: async ({ job, complete }) =>
          complete(async (scope) => {
            await wrote.ended(job, scope);
            // Rolls back what was just written.
            if (!job.input.mended) throw new FatalError("broken, as planned");
            return 1;
          }),
      },
      parked: {
        retry,
        handler: ({ job, complete }) =>
          complete(async (scope) => {
            await wrote.ended(job, scope);
            return 1;
          }),
      },
      poison: {
        retry: retryOf(around, 5),
        handler: async ({ job }) => around.die(job.input.death),
      },
    },
  });
}
