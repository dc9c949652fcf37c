import { createProcessors, FatalError, type Processors } from "chainwright";
import { preyJobTypes } from "./job-types.ts";
import { journaled, retryOf } from "./surroundings.ts";
import type { Surroundings } from "./surroundings.ts";
import { createWrites } from "./writes.ts";

export function preyProcessors(around: Surroundings): Processors {
  const { client, pause } = around;
  const wrote = createWrites(around);
  const retry = retryOf(around);
  return createProcessors({
    client,
    jobTypes: preyJobTypes,
    middleware: [journaled(around)],
    processors: {
      prey: {
        retry,
        handler: async ({ job, prepare, complete, continueWith, reschedule }) => {
          const { rounds, delayMs } = job.input;
          const chance = Math.random();
          if (chance < 0.05) reschedule({ afterMs: 10 + Math.random() * 200 });
          if (chance < 0.08) throw new Error("failed, as planned");
          if (chance < 0.09) throw new FatalError("failed for good, as planned");
          if (chance < 0.25) {
            // It may be cancelled or deleted before it prepares.
            await prepare({ mode: "staged" }, (scope) => wrote.staged(job, scope));
            await pause(delayMs);
          }
          const next = { typeName: "prey", input: { rounds: rounds - 1, delayMs } } as const;
          if (chance > 0.8) return rounds === 0 ? 1 : continueWith(next);
          return complete(async (scope) => {
            await wrote.ended(job, scope);
            return rounds === 0 ? 1 : scope.continueWith(next);
          });
        },
      },
      "prey.join": {
        retry,
        handler: ({ job, complete }) =>
          complete(async (scope) => {
            await wrote.ended(job, scope);
            return 1;
          }),
      },
    },
  });
}
