import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Change } from "chainwright/change-log";
import { formatVersion, headerBytes, readHead, recordHeadBytes } from "../../src/format.ts";
import { openWithContent } from "../content.ts";
import { createFakeDisk } from "../fake-disk.ts";
import { allChains } from "../jobs.ts";

/** The folders that releases have written, by the version of their format. They never change. */
export const formatsFolder = import.meta.dirname;

/** The tables of a journal's rows. */
const tables = {
  job: true,
  state: true,
  key: true,
  pause: true,
  schedule: true,
  tick: true,
  signal: true,
  kept: true,
  note: true,
  memo: true,
  line: true,
  limit: true,
  limitKey: true,
  lane: true,
  token: true,
  release: true,
  released: true,
  history: true,
} satisfies Record<Change[0], true>;

export type Files = ReadonlyMap<string, Buffer>;

/** What a store shows that is opened from a folder, at a moment before all others: its rows, chains and jobs. */
export interface Shown {
  /** Of all that follows. */
  readonly digest: string;
  /** The first of them, because some stores are large. */
  readonly rows: readonly unknown[];
  readonly chains: readonly unknown[];
  readonly jobs: readonly unknown[];
}

const most = 20;

export async function show(files: Files): Promise<Shown> {
  const { adapter, content } = await openWithContent(createFakeDisk(files), { clock: { now: () => 0 } });
  const rows = [...content()].sort();
  const chains = await adapter.listChains(allChains, {});
  const { tags: _, key: __, ...jobsToo } = allChains;
  const jobs = await adapter.listJobs({ ...jobsToo, chainId: undefined, blockedBy: undefined }, {});
  await adapter.close();
  const digest = createHash("sha256")
    .update(JSON.stringify([rows, chains, jobs]))
    .digest("hex");
  const [firstRows, firstChains, firstJobs] = [rows, chains, jobs].map((list) => list.slice(0, most));
  return JSON.parse(JSON.stringify({ digest, rows: firstRows, chains: firstChains, jobs: firstJobs })) as Shown;
}

/** The folders of one version, by name. */
export function readFixtures(
  version: string,
): { readonly name: string; readonly files: Files; readonly shown: Shown }[] {
  const folder = join(formatsFolder, version);
  return readdirSync(folder).map((name) => {
    const names = readdirSync(join(folder, name)).filter((file) => file !== "shown.json");
    return {
      name,
      files: new Map(names.map((file) => [file, readFileSync(join(folder, name, file))])),
      shown: JSON.parse(readFileSync(join(folder, name, "shown.json"), "utf8")) as Shown,
    };
  });
}

export const thisVersion = `v${formatVersion}`;

/** The records of a file. */
export function* recordsIn(data: Buffer) {
  for (let at = headerBytes, head = readHead(data, at); head !== undefined; head = readHead(data, at)) {
    const end = at + recordHeadBytes + head.length;
    yield { ...head, bytes: data.subarray(at, end), text: data.toString("utf8", at + recordHeadBytes, end) };
    at = end;
  }
}

/** The tables of the rows in these files, and what else they have: deletions, a snapshot, several segments. */
export function featuresOf(files: Files): ReadonlySet<string> {
  const features = new Set<string>();
  for (const [name, data] of files) {
    if (name.startsWith("snap-")) features.add("a snapshot");
    for (const { text } of name === "CURRENT" ? [] : recordsIn(data)) {
      if (!text.startsWith("[")) continue;
      for (const change of JSON.parse(text) as readonly Change[])
        features.add(change[0] === "job" && change.length === 2 ? "a deletion" : change[0]);
    }
  }
  if ([...files.keys()].filter((name) => name.startsWith("log-")).length > 1) features.add("several segments");
  return features;
}

export const wantedFeatures: readonly string[] = [
  ...Object.keys(tables),
  "a deletion",
  "a snapshot",
  "several segments",
];
