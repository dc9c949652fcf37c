import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { LibraryClient } from "./database.ts";
import { reasonOf } from "./file-errors.ts";
import type { CatalogEntry } from "./job-types.ts";
import { isOther } from "./read-file.ts";

export interface DigestCheck {
  /** Chains of files that completed. */
  files: number;
  /** Digests that the plain recomputation agrees with. */
  right: number;
  /** Paths whose digest or size is another one. */
  wrong: string[];
  /** Paths of files that are not there any more or were written to since: nothing can be said about them. */
  changed: string[];
}

/** Files read at the same time. */
const atOnce = 8;

/** Recomputes every digest plainly, with another implementation, and holds it against what the file's chain ended in. */
export async function checkDigests(
  client: LibraryClient,
  options: {
    readonly reportJobId: string;
    readonly folder: string;
    readonly onChecked: (files: number) => void;
    readonly signal: AbortSignal;
  },
): Promise<DigestCheck> {
  const check: DigestCheck = { files: 0, right: 0, wrong: [], changed: [] };
  let cursor: string | undefined;
  do {
    const page = await client.getJobBlockers({ id: options.reportJobId, limit: 200, cursor });
    const entries = page.items.flatMap((chain) =>
      chain.typeName === "file.index" && chain.status === "completed" ? [chain.output] : [],
    );
    check.files += entries.length;
    options.signal.throwIfAborted();
    for (let index = 0; index < entries.length; index += atOnce) {
      const some = entries.slice(index, index + atOnce);
      await Promise.all(some.map((entry) => checkEntry(options.folder, entry, check)));
    }
    options.onChecked(check.files);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return check;
}

async function checkEntry(folder: string, entry: CatalogEntry, check: DigestCheck): Promise<void> {
  if (entry.kind === "unread") return;
  const path = join(folder, entry.path);
  try {
    const { size, sha256 } = await recompute(path);
    const now = await stat(path);
    if (isOther({ size: now.size, modifiedMs: now.mtimeMs }, entry)) check.changed.push(entry.path);
    else if (size === entry.size && sha256 === entry.sha256) check.right += 1;
    else check.wrong.push(entry.path);
  } catch (error) {
    if (reasonOf(error) === undefined) throw error;
    check.changed.push(entry.path);
  }
}

async function recompute(path: string): Promise<{ readonly size: number; readonly sha256: string }> {
  const hash = createHash("sha256");
  const stream = createReadStream(path, { highWaterMark: 16_384 });
  await pipeline(stream, hash);
  return { size: stream.bytesRead, sha256: hash.digest("hex") };
}
