import { setTimeout as sleep } from "node:timers/promises";
import { stateOfReport, type LibraryChain, type ReportState } from "./chain.ts";
import type { LibraryClient } from "./database.ts";
import type { LibraryReport } from "./job-types.ts";
import { isHalfMerged } from "./half-way.ts";
import type { Progress } from "./progress.ts";
import { watchReport } from "./watch-report.ts";
import { startWorkerProcess, type WorkerProcess } from "./worker-process.ts";

export interface Work {
  readonly client: LibraryClient;
  readonly chain: LibraryChain;
  readonly database: string;
  readonly progress: Progress;
  /** How much of the report is merged. */
  readonly merging: Progress;
  /** Ends the work early: the worker is stopped, and a later run can continue the chain. */
  readonly signal: AbortSignal;
}

export interface Done {
  readonly report: LibraryReport;
  /** Worker processes that were killed. */
  readonly killed: number;
  /** The largest memory that one of them used, in bytes. */
  readonly workerMemory: number;
  /** How many entries of the report were merged when its last attempt began; undefined if there was only one attempt. */
  readonly wentOnAt: number | undefined;
}

/** How often the progress is read from the database. */
const lookEveryMs = 100;

/** Runs worker processes until the chain has ended. Two are killed, half-way and in the report, and others continue. */
export async function work({ client, chain, database, progress, merging, signal }: Work): Promise<Done> {
  const workers: WorkerProcess[] = [];
  const victims: Victims = { halfWay: undefined, inReport: undefined };

  const startWorker = async (): Promise<WorkerProcess> => {
    const filesLeft = (await lookAt(client, chain.id, progress))?.filesLeft;
    const worker = startWorkerProcess({
      database,
      stopsHalfWay: victims.halfWay === undefined && filesLeft !== 0,
      stopsInReport: victims.inReport === undefined,
      filesLeft,
    });
    workers.push(worker);
    void worker.halfWay.then(() => (victims.halfWay = worker).kill());
    return worker;
  };

  /** Starts another worker whenever one is killed, by the demo or by hand. */
  const keepWorking = async (): Promise<never> => {
    for (let worker = await startWorker(); ; worker = await startWorker()) {
      const end = await worker.ended;
      if (end !== "SIGKILL") throw new Error(`worker process ${worker.pid} ended by itself, with ${end}`);
      signal.throwIfAborted();
      await lookAt(client, chain.id, progress);
      progress.say(
        `Worker process ${worker.pid} was killed with SIGKILL ${placeOf(worker, victims)}: another one continues.`,
      );
    }
  };

  /** The worker stops there by itself, and waits to be killed. Its progress shows it. */
  const onProgress = (done: number, total: number): void => {
    merging.update(done, total);
    if (victims.inReport !== undefined || !isHalfMerged(done, total)) return;
    victims.inReport = workers.at(-1);
    victims.inReport?.kill();
  };

  const ended = new AbortController();
  const whole = AbortSignal.any([signal, ended.signal]);
  try {
    const [wentOnAt, { output: report }] = await Promise.race([
      Promise.all([
        watchReport(client, { chainId: chain.id, onProgress, signal: whole }),
        client.awaitChain({ id: chain.id, typeName: "library.index" }, { signal }),
      ]),
      showProgress(client, chain.id, progress, ended.signal),
      keepWorking(),
    ]);
    progress.update(report.files, report.files);
    return { report, killed: workers.length - 1, workerMemory: largestMemory(workers), wentOnAt };
  } finally {
    ended.abort();
    progress.end();
    merging.end();
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}

function largestMemory(workers: readonly WorkerProcess[]): number {
  return Math.max(...workers.map((worker) => worker.largestMemory()));
}

/** The worker that was killed half-way, and the one that was killed in the report. */
interface Victims {
  halfWay: WorkerProcess | undefined;
  inReport: WorkerProcess | undefined;
}

function placeOf(worker: WorkerProcess, { halfWay, inReport }: Victims): string {
  if (worker === halfWay) return "half-way, inside an open transaction";
  return worker === inReport ? "in the report, after a checkpoint" : "by another process";
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
