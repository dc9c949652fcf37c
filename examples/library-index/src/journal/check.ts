import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { chainsOf, type JournalClient } from "./store.ts";

/** What the folder has after the last program. */
export interface JournalCheck {
  readonly files: number;
  readonly notes: number;
  /** Digests that the recomputation confirms. */
  readonly right: number;
  readonly wrong: number;
  /** Chains that were acknowledged and are not there, did not complete, or whose note is missing. */
  readonly lost: number;
  /** Second chains of a file, second notes, and notes of steps that never completed. */
  readonly doubled: number;
}

/** Compares the chains of a folder with what its programs were told, and each digest with the file. */
export async function check(
  client: JournalClient,
  { library, acknowledged }: { readonly library: string; readonly acknowledged: ReadonlySet<string> },
): Promise<JournalCheck> {
  const [paths, there, noted] = [new Set<string>(), new Set<string>(), new Map<string, number>()];
  const completed = new Set<string>();
  let [lost, doubled, right, wrong] = [0, 0, 0, 0];
  for await (const chain of chainsOf(client)) {
    if (chain.status !== "completed") lost += 1;
    if (chain.typeName === "file.note") {
      const { digestId } = chain.input;
      noted.set(digestId, (noted.get(digestId) ?? 0) + 1);
    } else if (chain.typeName === "file.digest") {
      const { path } = chain.input;
      there.add(chain.id);
      if (paths.has(path)) doubled += 1;
      paths.add(path);
      if (chain.status !== "completed") continue;
      completed.add(chain.id);
      if (hash("sha256", await readFile(join(library, path))) === chain.output.sha256) right += 1;
      else wrong += 1;
    }
  }
  for (const id of acknowledged) if (!there.has(id)) lost += 1;
  for (const id of completed) if (!noted.has(id)) lost += 1;
  for (const [id, count] of noted) doubled += completed.has(id) ? count - 1 : count;
  return { files: there.size, notes: noted.size, right, wrong, lost, doubled };
}
