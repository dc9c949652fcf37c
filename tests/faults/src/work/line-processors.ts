import { createProcessors, type Processors } from "chainwright";
import { lineJobTypes } from "./job-types.ts";
import { journaled, retryOf } from "./surroundings.ts";
import type { Surroundings } from "./surroundings.ts";
import { createWrites } from "./writes.ts";

export function lineProcessors(around: Surroundings): Processors {
  const wrote = createWrites(around);
  const retry = retryOf(around);
  return createProcessors({
    client: around.client,
    jobTypes: lineJobTypes,
    middleware: [journaled(around)],
    processors: {
      line: {
        retry,
        handler: async ({ job, continueWith }) => continueWith({ typeName: "line.atomic", input: job.input }),
      },
      "line.atomic": {
        retry,
        handler: async ({ job, prepare, complete }) => {
          await prepare({ mode: "atomic" }, (scope) => wrote.prepared(job, scope));
          return complete(async (scope) => {
            await wrote.endedAndSpawned(job, scope, job.input);
            return scope.continueWith({ typeName: "line.staged", input: job.input });
          });
        },
      },
      "line.staged": {
        retry,
        handler: async ({ job, prepare, complete }) => {
          await prepare({ mode: "staged" }, (scope) => wrote.prepared(job, scope));
          await around.pause(job.input.delayMs);
          return complete(async (scope) => {
            await wrote.ended(job, scope);
            return 1;
          });
        },
      },
      spawned: { retry, handler: async () => 1 },
    },
  });
}
