import { join } from "node:path";
import Database from "better-sqlite3";
import { createWorker } from "chainwright";
import { onTestFinished } from "vitest";
import { startOrResume, stateOfReport } from "../src/chain.ts";
import { checkDigests, type DigestCheck } from "../src/check-digests.ts";
import { checkEffects, type EffectCheck } from "../src/check-effects.ts";
import { openDatabase } from "../src/database.ts";
import { createEffectTable, recordEffect, type Effect } from "../src/effects.ts";
import { createFileProcessors } from "../src/file-processors.ts";
import type { LibraryReport } from "../src/job-types.ts";
import { createLibraryProcessors } from "../src/library-processors.ts";
import { createFolder } from "./demo.ts";

/** A library that this process has indexed. */
export interface IndexedLibrary {
  readonly report: LibraryReport;
  /** The application's own connection, for planting faults. */
  readonly database: Database.Database;
  checkDigests(): Promise<DigestCheck>;
  checkEffects(): Promise<EffectCheck>;
}

/**
 * Indexes a folder with a worker in this process.
 *
 * @param onEffect called inside the transaction of each step that writes, so that a test can change files at that moment.
 */
export async function indexLibrary(
  folder: string,
  { chunkBytes = 100, onEffect = () => undefined }: { chunkBytes?: number; onEffect?: (effect: Effect) => void } = {},
): Promise<IndexedLibrary> {
  const file = join(await createFolder(), "library.db");
  const { stateAdapter, client } = openDatabase(file);
  const database = new Database(file);
  await stateAdapter.migrate();
  createEffectTable(database);
  const record: typeof recordEffect = async (tx, effect) => {
    await recordEffect(tx, effect);
    onEffect(effect);
  };
  const worker = createWorker({
    client,
    processors: [createLibraryProcessors(client, record), createFileProcessors(client, record)],
  });
  onTestFinished(async () => {
    await worker.stop();
    database.close();
    await client.close();
    await stateAdapter.close();
  });
  const chain = await startOrResume(client, { folder, otherwise: folder, chunkBytes, leaveOut: [] });
  await worker.start();
  const { output } = await client.awaitChain({ id: chain.id, typeName: "library.index" });
  const reportJobId = (await stateOfReport(client, chain.id))?.jobId ?? "";
  const { signal } = new AbortController();
  return {
    report: output,
    database,
    checkDigests: () => checkDigests(client, { reportJobId, folder, onChecked: () => undefined, signal }),
    checkEffects: () => checkEffects(client, database, { startedAt: chain.startedAt, beganAt: chain.startedAt }),
  };
}
