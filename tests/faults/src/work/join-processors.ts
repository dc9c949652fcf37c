import { createProcessors, type Processors } from "chainwright";
import { joinJobTypes } from "./job-types.ts";
import { journaled, retryOf } from "./surroundings.ts";
import type { Surroundings } from "./surroundings.ts";
import { createWrites } from "./writes.ts";

export function joinProcessors(around: Surroundings): Processors {
  const { client } = around;
  const wrote = createWrites(around);
  const retry = retryOf(around);
  return createProcessors({
    client,
    jobTypes: joinJobTypes,
    middleware: [journaled(around)],
    processors: {
      join: {
        retry,
        handler: ({ job, complete }) =>
          complete(async (scope) => {
            await wrote.joined(job, scope);
            const { input } = job;
            const blockers = [
              { typeName: "part", input },
              { typeName: "part.value", input },
            ] as const;
            return scope.continueWith({ typeName: "join.again", input, blockers });
          }),
      },
      "join.again": {
        retry,
        handler: ({ job, complete }) =>
          complete(async (scope) => {
            await wrote.joined(job, scope);
            return 1;
          }),
      },
      part: {
        retry,
        handler: ({ job, complete }) =>
          complete(async (scope) => {
            await wrote.ended(job, scope);
            return 1;
          }),
      },
      "part.value": { retry, handler: async () => 1 },
      keyed: {
        retry,
        handler: ({ job, complete }) =>
          complete(async (scope) => {
            await wrote.keyClaimed(job, scope, job.input.key);
            return scope.continueWith({ typeName: "keyed.end", input: job.input });
          }),
      },
      "keyed.end": {
        retry,
        handler: ({ job, complete }) =>
          complete(async (scope) => {
            await wrote.keyFreed(job, scope, job.input.key);
            return 1;
          }),
      },
    },
  });
}
