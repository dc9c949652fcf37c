import { randomUUID } from "node:crypto";
import { createProcessors, type Processors } from "chainwright";
import { longJobTypes } from "./job-types.ts";
import { journaled, retryOf } from "./surroundings.ts";
import type { Surroundings } from "./surroundings.ts";
import { createWrites } from "./writes.ts";

/** Each part writes what it was told is on record, after it was told. */
export function longProcessors(around: Surroundings): Processors {
  const { client } = around;
  const wrote = createWrites(around);
  return createProcessors({
    client,
    jobTypes: longJobTypes,
    middleware: [journaled(around)],
    processors: {
      long: {
        retry: retryOf(around),
        handler: async ({ job, once, saveCheckpoint, progress, log, complete }) => {
          const { parts, failures } = job.input;
          const play = {
            once: async (name: string) => {
              const value = await once(name, async () => randomUUID());
              await client.transaction((tx) => wrote.noted(job, { tx }, { kind: "remembered", name, value }));
            },
            write: async (name: string) => {
              const value = await once(name, { tx: true }, async ({ tx }) => {
                const chosen = randomUUID();
                await wrote.noted(job, { tx }, { kind: "once", name, value: chosen });
                return chosen;
              });
              await client.transaction((tx) => wrote.noted(job, { tx }, { kind: "remembered", name, value }));
            },
            save: async (name: string, part: number) => {
              if (part < (job.checkpoint?.parts ?? 0)) return;
              await saveCheckpoint({ parts: part + 1 });
              await client.transaction((tx) => wrote.noted(job, { tx }, { kind: "saved", name, value: "" }));
            },
            report: async (name: string, part: number) => {
              progress({ parts: part + 1 });
              log.info(name);
            },
          };
          for (const [part, kind] of parts.entries()) await play[kind](`${kind} ${part}`, part);
          if (job.attempt <= failures) throw new Error("failed, as planned");
          return complete(async (scope) => {
            await wrote.ended(job, scope);
            return 1;
          });
        },
      },
    },
  });
}
