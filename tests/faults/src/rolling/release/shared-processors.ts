import { setTimeout as delay } from "node:timers/promises";
import { createProcessors } from "chainwright";
import { asked } from "./journal.ts";
import type { RollingProcess } from "./open-process.ts";
import { createRecord } from "./record.ts";
import type { SharedClient } from "./shared-client.ts";
import { sharedJobTypes, type Step } from "./shared-job-types.ts";

export function sharedProcessors(rolling: RollingProcess, client: SharedClient) {
  const record = createRecord(rolling);
  return createProcessors({
    client,
    jobTypes: sharedJobTypes,
    middleware: [
      async ({ job }, next) => {
        await delay((job.input as Step).delayMs);
        return next();
      },
    ],
    processors: {
      loop: ({ job, complete }) =>
        complete(async ({ tx, continueWith }) => {
          await record(tx, job);
          const { rounds, delayMs } = job.input;
          return rounds === 1 ? 1 : continueWith({ typeName: "loop", input: { rounds: rounds - 1, delayMs } });
        }),
      join: ({ job, complete }) =>
        complete(async ({ tx, continueWith }) => {
          await record(tx, job, { wrong: wrongBlockers(job.blockers, 2) });
          const { input } = job;
          return continueWith({ typeName: "join.again", input, blockers: [{ typeName: "part", input }] });
        }),
      "join.again": ({ job, complete }) =>
        complete(async ({ tx }) => {
          await record(tx, job, { wrong: wrongBlockers(job.blockers, 1) });
          return 1;
        }),
      part: async ({ job, prepare, complete }) => {
        await prepare({ mode: "staged" });
        return complete(async ({ tx }) => {
          await record(tx, job);
          return 1;
        });
      },
      stumble: async ({ job, complete }) => {
        const { failures } = job.input;
        if (job.attempt <= failures) throw new Error(asked);
        return complete(async ({ tx }) => {
          await record(tx, job, { asked: failures });
          return 1;
        });
      },
      keyed: ({ job, complete }) =>
        complete(async ({ tx }) => {
          await record(tx, job);
          return 1;
        }),
      later: ({ job, complete }) =>
        complete(async ({ tx }) => {
          await record(tx, job);
          return 1;
        }),
    },
  });
}

function wrongBlockers(blockers: readonly { readonly output: unknown }[], count: number): string | null {
  const complete = blockers.filter(({ output }) => output === 1).length;
  return complete === count && blockers.length === count ? null : `${complete} of ${count} blockers had ended`;
}
