import { createProcessors } from "chainwright";
import type { LibraryClient } from "./database.ts";
import { effectOf, type RecordEffect } from "./effects.ts";
import { libraryJobTypes } from "./job-types.ts";
import { mergeEntries } from "./report.ts";
import { scan } from "./scan.ts";

/** The two steps of the library's chain: fan-out and fan-in. */
export function createLibraryProcessors(client: LibraryClient, record: RecordEffect) {
  return createProcessors({
    client,
    jobTypes: libraryJobTypes,
    processors: {
      // The files' chains start in the transaction that ends this step: all of them or, after a crash, none.
      "library.index": async ({ job, signal, complete }) => {
        const { folder, chunkBytes, leaveOut } = job.input;
        const { files, skipped } = await scan(folder, { leaveOut, signal });
        return complete(async ({ tx, continueWith }) => {
          await record(tx, effectOf(job, folder, files.length));
          return continueWith({
            typeName: "library.report",
            input: { folder, files: files.length, skipped },
            blockers: files.map((path) => ({ typeName: "file.index" as const, input: { folder, path, chunkBytes } })),
          });
        });
      },

      // Runs when the last of those chains has ended, and gets their outputs.
      "library.report": async ({ job, complete }) => {
        const { folder, skipped } = job.input;
        const entries = job.blockers.map((file) => file.output);
        const report = mergeEntries(entries, skipped);
        return complete(async ({ tx }) => {
          await record(tx, effectOf(job, folder, report.files, report.sha256));
          return report;
        });
      },
    },
  });
}
