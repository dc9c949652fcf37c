import { createProcessors, type Processors } from "chainwright";
import { loopJobTypes } from "./job-types.ts";
import { journaled, retryOf } from "./surroundings.ts";
import type { Surroundings } from "./surroundings.ts";
import { createWrites } from "./writes.ts";

export function loopProcessors(around: Surroundings): Processors {
  const wrote = createWrites(around);
  const retry = retryOf(around);
  return createProcessors({
    client: around.client,
    jobTypes: loopJobTypes,
    middleware: [journaled(around)],
    processors: {
      loop: {
        retry,
        handler: async ({ job, prepare, complete }) => {
          const { rounds, delayMs } = job.input;
          // Every other step has two transactions.
          if (rounds % 2 === 1) await prepare({ mode: "staged" });
          return complete(async (scope) => {
            await wrote.ended(job, scope);
            if (rounds === 0) return 1;
            return scope.continueWith({ typeName: "loop", input: { rounds: rounds - 1, delayMs } });
          });
        },
      },
    },
  });
}
