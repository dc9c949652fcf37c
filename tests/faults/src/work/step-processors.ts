import { createProcessors, type Processors } from "chainwright";
import { stepJobTypes } from "./job-types.ts";
import { journaled, retryOf } from "./surroundings.ts";
import type { Surroundings } from "./surroundings.ts";
import { createWrites } from "./writes.ts";

export function stepProcessors(around: Surroundings): Processors {
  const { client } = around;
  const wrote = createWrites(around);
  const retry = retryOf(around);
  return createProcessors({
    client,
    jobTypes: stepJobTypes,
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
      spawned: { retry, handler: async () => 1 },
    },
  });
}
