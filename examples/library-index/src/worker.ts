// A worker process; worker-process.ts starts it: worker.ts --database FILE [--stop-half-way [--files-left N]] [--stop-in-report]
import { parseArgs } from "node:util";
import { createWorker } from "chainwright";
import { openDatabase } from "./database.ts";
import { recordEffect } from "./effects.ts";
import { createFileProcessors } from "./file-processors.ts";
import { stopHalfWay, stopInReport } from "./half-way.ts";
import { createLibraryProcessors } from "./library-processors.ts";
import type { WorkerMessage } from "./worker-process.ts";

const { values } = parseArgs({
  options: {
    database: { type: "string" },
    "stop-half-way": { type: "boolean", default: false },
    "files-left": { type: "string" },
    "stop-in-report": { type: "boolean", default: false },
  },
});
const {
  database = "",
  "stop-half-way": stopsHalfWay,
  "files-left": filesLeft,
  "stop-in-report": stopsInReport,
} = values;

const send = (message: WorkerMessage): void => {
  if (process.connected) process.send?.(message);
};
const record = stopsHalfWay
  ? stopHalfWay(recordEffect, filesLeft === undefined ? undefined : Number(filesLeft), () => send({ kind: "half-way" }))
  : recordEffect;

const { stateAdapter, client } = openDatabase(database);
const worker = createWorker({
  client,
  processors: [
    createLibraryProcessors(client, record, stopsInReport ? stopInReport : undefined),
    createFileProcessors(client, record),
  ],
  name: `process ${process.pid}`,
  concurrency: 10,
  // The jobs of a dead worker are free again after this time. The default is 30 s, too long for a demo.
  leaseMs: 1_000,
  // The check at the end needs all chains.
  retention: { completedMs: Infinity },
});

const memory = setInterval(() => send({ kind: "memory", bytes: process.memoryUsage.rss() }), 100);

const stop = async (): Promise<void> => {
  clearInterval(memory);
  // The handler that stopped half-way never ends, so the process exits after a while.
  setTimeout(() => process.exit(1), 5_000).unref();
  await worker.stop({ timeoutMs: 2_000 });
  await client.close();
  await stateAdapter.close();
};
// The parent process has asked this one to stop, or is dead.
process.once("disconnect", () => void stop());
// Ctrl-C also reaches this process, but the demo decides when to stop.
process.on("SIGINT", () => undefined);

if (process.connected) await worker.start();
else await stop();
