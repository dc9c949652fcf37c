// Writes folders of the present format, which are kept for ever, after `formatVersion` was increased:
// node --conditions=@chainwright/source packages/journal/test/format/write-fixtures.ts
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stateConformance } from "@chainwright/conformance";
import { openWithContent } from "../content.ts";
import { createFakeDisk } from "../fake-disk.ts";
import { stateWithout } from "../without.ts";
import { featuresOf, formatsFolder, show, thisVersion, wantedFeatures, type Files } from "./fixture.ts";

const folder = join(formatsFolder, thisVersion);
if (existsSync(folder)) throw new Error(`${folder} is there, and is never written again: increase formatVersion`);

/** What the conformance cases leave in their folders. */
async function runCases(): Promise<ReadonlyMap<string, Files>> {
  const left = new Map<string, Files>();
  let read: () => Files = () => new Map();
  const createAdapter = async () => {
    const disk = createFakeDisk();
    const { adapter } = await openWithContent(disk, { segmentBytes: 700, snapshotBytes: 3_000 });
    read = disk.files;
    return { adapter, close: async () => {} };
  };
  for (const { name, skipped, run } of stateConformance({ createAdapter, without: stateWithout })) {
    if (skipped !== undefined) continue;
    await run();
    left.set(name, read());
  }
  return left;
}

const bytesOf = (files: Files): number => [...files.values()].reduce((sum, { length }) => sum + length, 0);

/** As few small folders as have everything. */
function choose(found: ReadonlyMap<string, Files>): ReadonlyMap<string, Files> {
  const chosen = new Map<string, Files>();
  const missing = new Set(wantedFeatures);
  const candidates = [...found]
    .filter(([, files]) => bytesOf(files) < 1_000_000)
    .map(([name, files]) => ({ name, files, features: featuresOf(files) }));
  while (missing.size > 0) {
    const worth = ({ features }: (typeof candidates)[number]) =>
      [...features].filter((each) => missing.has(each)).length;
    const best = candidates.toSorted(
      (left, right) => worth(right) - worth(left) || bytesOf(left.files) - bytesOf(right.files),
    )[0];
    if (best === undefined || worth(best) === 0) throw new Error(`no case has ${[...missing].join(", ")}`);
    chosen.set(best.name, best.files);
    for (const feature of best.features) missing.delete(feature);
  }
  return chosen;
}

for (const [name, files] of choose(await runCases())) {
  const path = join(
    folder,
    name
      .toLowerCase()
      .replace(/[^a-z]+/g, "-")
      .slice(0, 40)
      .replace(/-$/, ""),
  );
  mkdirSync(path, { recursive: true });
  for (const [file, data] of files) writeFileSync(join(path, file), data);
  writeFileSync(join(path, "shown.json"), `${JSON.stringify(await show(files), undefined, 1)}\n`);
  process.stdout.write(`${path}\n`);
}
