import { createProcessors } from "chainwright";
import type { LibraryClient } from "./database.ts";
import { effectOf, type RecordEffect } from "./effects.ts";
import { libraryJobTypes } from "./job-types.ts";
import { emptyDraft, mergeEntries, reportOf } from "./report.ts";
import { scan } from "./scan.ts";

/** Called after each checkpoint of the report. */
export type OnMerged = (done: number, total: number) => Promise<void>;

/** The report has so many checkpoints. */
const parts = 10;

/** The two steps of the library's chain: fan-out and fan-in. */
export function createLibraryProcessors(
  client: LibraryClient,
  record: RecordEffect,
  onMerged: OnMerged = async () => undefined,
) {
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

      // Runs when the last of those chains has ended, and gets their outputs. An attempt goes on where the one before was killed.
      "library.report": async ({ job, saveCheckpoint, progress, log, complete }) => {
        const { folder, skipped } = job.input;
        const entries = job.blockers.map((file) => file.output);
        const total = entries.length;
        const inPart = Math.max(1, Math.ceil(total / parts));
        let draft = job.checkpoint ?? emptyDraft;
        if (draft.files > 0) log.info("goes on from its checkpoint", { merged: draft.files, total });
        while (draft.files < total) {
          draft = mergeEntries(draft, entries.slice(draft.files, draft.files + inPart));
          await saveCheckpoint(draft);
          progress({ done: draft.files, total });
          await onMerged(draft.files, total);
        }
        const report = reportOf(draft, skipped);
        return complete(async ({ tx }) => {
          await record(tx, effectOf(job, folder, report.files, report.sha256));
          return report;
        });
      },
    },
  });
}
