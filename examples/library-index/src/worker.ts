// A worker process, as worker-process.ts starts it: worker.ts --database FILE [--stop-half-way [--files-left N]]
import { parseArgs } from "node:util";
import { createWorker } from "chainwright";
import { openDatabase } from "./database.ts";
import { recordEffect } from "./effects.ts";
import { createFileProcessors } from "./file-processors.ts";
import { stopHalfWay } from "./half-way.ts";
import { createLibraryProcessors } from "./library-processors.ts";
import type { WorkerMessage } from "./worker-process.ts";

const { values } = parseArgs({
  options: {
    database: { type: "string" },
    "stop-half-way": { type: "boolean", default: false },
    "files-left": { type: "string" },
  },
});
const { database = "", "stop-half-way": stopsHalfWay, "files-left": filesLeft } = values;

const tell = (message: WorkerMessage): void => {
  if (process.connected) process.send?.(message);
};
const record = stopsHalfWay
  ? stopHalfWay(recordEffect, filesLeft === undefined ? undefined : Number(filesLeft), () => tell({ kind: "half-way" }))
  : recordEffect;

const { stateAdapter, client } = openDatabase(database);
const worker = createWorker({
  client,
  processors: [createLibraryProcessors(client, record), createFileProcessors(client, record)],
  name: `process ${process.pid}`,
  concurrency: 10,
  // What a dead worker held is free again after this long. The default is 30 s; nobody likes to watch that.
  leaseMs: 1_000,
  // The check at the end wants to see everything.
  retention: { completedMs: Infinity },
});

const memory = setInterval(() => tell({ kind: "memory", bytes: process.memoryUsage.rss() }), 100);

const stop = async (): Promise<void> => {
  clearInterval(memory);
  // Whoever stopped us may have been killed while we held still for it.
  setTimeout(() => process.exit(1), 5_000).unref();
  await worker.stop({ timeoutMs: 2_000 });
  await client.close();
  await stateAdapter.close();
};
// Whoever started us wants us to stop, or is dead: there is nobody left to work for.
process.once("disconnect", () => void stop());
// Ctrl-C reaches us as well, and is for the demo to decide.
process.on("SIGINT", () => undefined);

if (process.connected) await worker.start();
else await stop();
