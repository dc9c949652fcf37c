import { createProcessors } from "chainwright";
import { countText } from "./count-text.ts";
import type { LibraryClient } from "./database.ts";
import { effectOf, type RecordEffect } from "./effects.ts";
import { fileJobTypes } from "./job-types.ts";
import { lookAt, readChunk } from "./read-file.ts";

/**
 * The steps of a file's chain. `complete` commits what a step writes with `record` together with the end of the step: both, or
 * neither.
 */
export function createFileProcessors(client: LibraryClient, record: RecordEffect) {
  return createProcessors({
    client,
    jobTypes: fileJobTypes,
    processors: {
      // A branch. It writes nothing and simply returns the next step.
      "file.index": async ({ job, continueWith }) => {
        const found = await lookAt(job.input);
        if (found.kind === "unread") return continueWith({ typeName: "file.catalog", input: found });
        const { kind, size, modifiedMs } = found;
        const reading = { ...job.input, size, modifiedMs, offset: 0, hashState: null };
        return kind === "binary"
          ? continueWith({ typeName: "file.read-binary", input: reading })
          : continueWith({ typeName: "file.read-text", input: { ...reading, lines: 0, words: 0, inWord: false } });
      },

      // A loop: each chunk is a step of its own, so a crash costs one chunk and not the whole file.
      "file.read-text": async ({ job, complete }) => {
        const chunk = await readChunk(job.input);
        return complete(async ({ tx, continueWith }) => {
          await record(tx, effectOf(job, job.input.path, chunk.kind === "unread" ? 0 : chunk.bytes.length));
          if (chunk.kind === "unread") return continueWith({ typeName: "file.catalog", input: chunk });
          const counts = countText(job.input, chunk.bytes);
          if (chunk.kind === "more") {
            return continueWith({ typeName: "file.read-text", input: { ...chunk.next, ...counts } });
          }
          const { lines, words } = counts;
          return continueWith({ typeName: "file.catalog", input: { kind: "text", ...chunk.file, lines, words } });
        });
      },

      "file.read-binary": async ({ job, complete }) => {
        const chunk = await readChunk(job.input);
        return complete(async ({ tx, continueWith }) => {
          await record(tx, effectOf(job, job.input.path, chunk.kind === "unread" ? 0 : chunk.bytes.length));
          if (chunk.kind === "unread") return continueWith({ typeName: "file.catalog", input: chunk });
          return chunk.kind === "more"
            ? continueWith({ typeName: "file.read-binary", input: chunk.next })
            : continueWith({ typeName: "file.catalog", input: { kind: "binary", ...chunk.file } });
        });
      },

      // The merge: both branches end here. Its result is the output of the chain.
      "file.catalog": async ({ job, complete }) =>
        complete(async ({ tx }) => {
          const entry = job.input;
          const { size, sha256 } = entry.kind === "unread" ? { size: 0, sha256: null } : entry;
          await record(tx, effectOf(job, entry.path, size, sha256));
          return entry;
        }),
    },
  });
}
