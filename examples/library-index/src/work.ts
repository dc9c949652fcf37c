import { setTimeout as sleep } from "node:timers/promises";
import { stateOfReport, type LibraryChain, type ReportState } from "./chain.ts";
import type { LibraryClient } from "./database.ts";
import type { LibraryReport } from "./job-types.ts";
import type { Progress } from "./progress.ts";
import { startWorkerProcess, type WorkerProcess } from "./worker-process.ts";

export interface Work {
  readonly client: LibraryClient;
  readonly chain: LibraryChain;
  readonly database: string;
  readonly progress: Progress;
  /** Ends the work early: the worker is stopped, and a later run can continue the chain. */
  readonly signal: AbortSignal;
}

export interface Done {
  readonly report: LibraryReport;
  /** Worker processes that were killed. */
  readonly killed: number;
  /** The largest memory that one of them used, in bytes. */
  readonly workerMemory: number;
}

/** How often the progress is read from the database. */
const lookEveryMs = 100;

/** Runs worker processes until the chain has ended. The first one is killed half-way, and another one continues. */
export async function work({ client, chain, database, progress, signal }: Work): Promise<Done> {
  const workers: WorkerProcess[] = [];
  /** The worker that was killed half-way; only one is. */
  let victim: WorkerProcess | undefined;

  const startWorker = async (): Promise<WorkerProcess> => {
    const filesLeft = (await lookAt(client, chain.id, progress))?.filesLeft;
    const worker = startWorkerProcess({ database, stopsHalfWay: victim === undefined && filesLeft !== 0, filesLeft });
    workers.push(worker);
    void worker.halfWay.then(() => {
      victim = worker;
      worker.kill();
    });
    return worker;
  };

  /** Starts another worker whenever one is killed, by the demo or by hand. */
  const keepWorking = async (): Promise<never> => {
    for (let worker = await startWorker(); ; worker = await startWorker()) {
      const end = await worker.ended;
      if (end !== "SIGKILL") throw new Error(`worker process ${worker.pid} ended by itself, with ${end}`);
      signal.throwIfAborted();
      await lookAt(client, chain.id, progress);
      const where = worker === victim ? "half-way, inside an open transaction" : "by another process";
      progress.say(`Worker process ${worker.pid} was killed with SIGKILL ${where}: another one continues.`);
    }
  };

  const ended = new AbortController();
  try {
    const { output: report } = await Promise.race([
      client.awaitChain({ id: chain.id, typeName: "library.index" }, { signal }),
      showProgress(client, chain.id, progress, ended.signal),
      keepWorking(),
    ]);
    progress.update(report.files, report.files);
    const workerMemory = Math.max(...workers.map((worker) => worker.largestMemory()));
    return { report, killed: workers.length - 1, workerMemory };
  } finally {
    ended.abort();
    progress.end();
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}

async function showProgress(
  client: LibraryClient,
  chainId: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<never> {
  for (;;) {
    await lookAt(client, chainId, progress);
    await sleep(lookEveryMs, undefined, { signal });
  }
}

/** Reads the progress from the database, because workers may be dead. */
async function lookAt(client: LibraryClient, chainId: string, progress: Progress): Promise<ReportState | undefined> {
  const state = await stateOfReport(client, chainId);
  if (state !== undefined) progress.update(state.files - state.filesLeft, state.files);
  return state;
}
