import { createHash, hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { LibraryClient } from "./database.ts";
import { reasonOf } from "./file-errors.ts";
import type { CatalogEntry, Version } from "./job-types.ts";
import { isOther } from "./read-file.ts";

export interface DigestCheck {
  /** Completed chains of files. */
  files: number;
  /** Digests that the recomputation confirms. */
  right: number;
  /** Paths with a different digest. */
  wrong: string[];
  /** Paths of files that were deleted or changed since: they cannot be checked. */
  changed: string[];
}

/** The number of files that are read at the same time. */
const atOnce = 8;

/** Recomputes every digest with another implementation and compares it with the output of the file's chain. */
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
    const page = await client.listJobBlockers({ id: options.reportJobId, limit: 200, cursor });
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
    // Checked before reading (it may be a pipe by now, which never ends) and after (it may have changed meanwhile).
    const isSame = await isStill(path, entry);
    const sha256 = isSame ? await recompute(path, entry.size) : undefined;
    if (!isSame || !(await isStill(path, entry))) check.changed.push(entry.path);
    else if (sha256 === entry.sha256) check.right += 1;
    else check.wrong.push(entry.path);
  } catch (error) {
    if (reasonOf(error) === undefined) throw error;
    check.changed.push(entry.path);
  }
}

async function isStill(path: string, version: Version): Promise<boolean> {
  const now = await lstat(path);
  return now.isFile() && !isOther({ size: now.size, modifiedMs: now.mtimeMs }, version);
}

/** Files up to this size are read at once, because a stream for each small file creates a lot of garbage. */
const wholeBytes = 1_048_576;

async function recompute(path: string, size: number): Promise<string> {
  if (size <= wholeBytes) return hash("sha256", await readFile(path));
  const sha256 = createHash("sha256");
  await pipeline(createReadStream(path), sha256);
  return sha256.digest("hex");
}
