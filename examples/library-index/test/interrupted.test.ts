import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { createWorker } from "chainwright";
import { describe, expect, it } from "vitest";
import { startOrResume } from "../src/chain.ts";
import { openDatabase } from "../src/database.ts";
import { createEffectTable, recordEffect, type RecordEffect } from "../src/effects.ts";
import { createFileProcessors } from "../src/file-processors.ts";
import { createLibraryProcessors } from "../src/library-processors.ts";
import { createFolder, startDemo } from "./demo.ts";

const killedHalfWay = "killed with SIGKILL half-way";

describe("an interrupted demo", { timeout: 60_000 }, () => {
  it.each([
    // A killed process prints nothing.
    { signal: "SIGKILL" as const, exit: "SIGKILL", says: "" },
    { signal: "SIGINT" as const, exit: 130, says: "To continue: npm run demo -- --database" },
    { signal: "SIGTERM" as const, exit: 143, says: "To continue: npm run demo -- --database" },
  ])("continues with the same database after $signal", async ({ signal, exit, says }) => {
    const folder = await createFolder();
    for (let index = 0; index < 40; index += 1) await writeFile(join(folder, `${index}.txt`), `${index}\n`);
    const database = join(await createFolder(), "library.db");

    const first = startDemo(folder, "--database", database);
    await first.says(killedHalfWay);
    first.kill(signal);
    expect(await first.ended).toBe(exit);
    expect(first.output()).toContain(says);

    // Without a folder, the unfinished run is continued.
    const second = startDemo("--database", database);
    expect(await second.ended).toBe(0);
    expect(second.output()).toContain(`Continuing with ${folder}`);
    expect(second.output()).toContain("text: 40 files with 40 lines");
    expect(second.output()).toContain("0 lost, 0 doubled, 0 wrong");

    // Nothing is left to continue: the same folder starts a new chain.
    const third = startDemo(folder, "--database", database);
    expect(await third.ended).toBe(0);
    expect(third.output()).toContain(`Indexing ${folder}`);
    expect(third.output()).toContain("0 lost, 0 doubled, 0 wrong");
  });

  it("reports files that vanished between the scan and their digests, and continues with the others", async () => {
    const folder = await createFolder();
    await writeFile(join(folder, "gone.txt"), "one");
    await writeFile(join(folder, "there.txt"), "two");
    const database = join(await createFolder(), "library.db");
    await scanOnly(folder, database);
    await rm(join(folder, "gone.txt"));

    const demo = startDemo("--database", database);
    expect(await demo.ended).toBe(0);
    expect(demo.output()).toContain("not read: it no longer exists (1): gone.txt");
    expect(demo.output()).toContain("text: 1 file with 0 lines and 1 words");
    expect(demo.output()).toContain("1 of 1 digests recomputed with the same result");
    expect(demo.output()).toContain("0 lost, 0 doubled, 0 wrong");
  });
});

/** Starts a chain and stops as soon as the folder has been scanned. */
async function scanOnly(folder: string, file: string): Promise<void> {
  const { stateAdapter, client } = openDatabase(file);
  const database = new Database(file);
  await stateAdapter.migrate();
  createEffectTable(database);
  database.close();
  await startOrResume(client, { folder, otherwise: folder, chunkBytes: 1_000, leaveOut: [] });
  const stopped = Promise.withResolvers<void>();
  const recordAndStop: RecordEffect = async (tx, effect) => {
    await recordEffect(tx, effect);
    // From here on the worker claims nothing, but this step still ends.
    stopped.resolve(worker.stop());
  };
  const worker = createWorker({
    client,
    processors: [createLibraryProcessors(client, recordAndStop), createFileProcessors(client, recordEffect)],
  });
  await worker.start();
  await stopped.promise;
  await client.close();
  await stateAdapter.close();
}
