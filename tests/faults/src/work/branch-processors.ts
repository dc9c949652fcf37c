import { createProcessors, type Processors } from "chainwright";
import { branchJobTypes } from "./job-types.ts";
import { journaled, retryOf } from "./surroundings.ts";
import type { Surroundings } from "./surroundings.ts";
import { createWrites } from "./writes.ts";

export function branchProcessors(around: Surroundings): Processors {
  const wrote = createWrites(around);
  const retry = retryOf(around);
  return createProcessors({
    client: around.client,
    jobTypes: branchJobTypes,
    middleware: [journaled(around)],
    processors: {
      branch: {
        retry,
        handler: ({ job, complete }) =>
          complete(async (scope) => {
            await wrote.ended(job, scope);
            const typeName = job.id.charCodeAt(job.id.length - 1) % 2 === 0 ? "branch.left" : "branch.right";
            return scope.continueWith({ typeName, input: job.input });
          }),
      },
      "branch.left": {
        retry,
        handler: async ({ job, prepare, complete }) => {
          await prepare({ mode: "staged" });
          return complete(async (scope) => {
            await wrote.ended(job, scope);
            return scope.continueWith({ typeName: "branch.end", input: job.input });
          });
        },
      },
      "branch.right": {
        retry,
        handler: async ({ job, continueWith }) => continueWith({ typeName: "branch.end", input: job.input }),
      },
      "branch.end": {
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
