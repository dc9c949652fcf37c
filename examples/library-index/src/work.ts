import { setTimeout as sleep } from "node:timers/promises";
import type { LibraryChain } from "./chain.ts";
import { stateOfReport } from "./chain.ts";
import type { LibraryClient } from "./database.ts";
import type { LibraryReport } from "./job-types.ts";
import type { Progress } from "./progress.ts";
import { startWorkerProcess } from "./worker-process.ts";
import type { WorkerProcess } from "./worker-process.ts";

export interface Work {
  readonly client: LibraryClient;
  readonly chain: LibraryChain;
  readonly database: string;
  readonly progress: Progress;
  /** Ends the work early: workers are stopped, and the chain goes on another time. */
  readonly signal: AbortSignal;
}

export interface Done {
  readonly report: LibraryReport;
  /** Worker processes that were killed. */
  readonly killed: number;
  /** The most memory a worker process was seen to hold, in bytes. */
  readonly workerMemory: number;
}

/** How often the database is asked how far it is. */
const lookEveryMs = 100;

/** Has worker processes work until the chain has ended; the first of them is killed half-way. */
export async function work({ client, chain, database, progress, signal }: Work): Promise<Done> {
  const filesLeft = (await stateOfReport(client, chain.id))?.filesLeft;
  const workers = [startWorkerProcess({ database, stopsHalfWay: filesLeft !== 0, filesLeft })];
  let killed = 0;

  const replaceHalfWay = async (first: WorkerProcess): Promise<never> => {
    await Promise.race([first.halfWay, first.ended]);
    first.kill();
    const end = await first.ended;
    if (end !== "SIGKILL") throw new Error(`the worker process ended by itself, with ${end}`);
    signal.throwIfAborted();
    killed += 1;
    const second = startWorkerProcess({ database, stopsHalfWay: false });
    workers.push(second);
    progress.say(
      `Half-way: worker process ${first.pid} was killed with SIGKILL, inside an open transaction; process ${second.pid} goes on.`,
    );
    throw new Error(`the worker process ended by itself, with ${await second.ended}`);
  };

  const ended = new AbortController();
  try {
    const { output: report } = await Promise.race([
      client.awaitChain({ id: chain.id, typeName: "library.index" }, { signal }),
      showProgress(client, chain.id, progress, ended.signal),
      ...workers.map(replaceHalfWay),
    ]);
    progress.update(report.files, report.files);
    const workerMemory = Math.max(...workers.map((worker) => worker.largestMemory()));
    return { report, killed, workerMemory };
  } finally {
    ended.abort();
    progress.end();
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}

/** Asks the database, not the workers: it is the one that knows, whoever dies. */
async function showProgress(
  client: LibraryClient,
  chainId: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<never> {
  for (;;) {
    const state = await stateOfReport(client, chainId);
    if (state !== undefined) progress.update(state.files - state.filesLeft, state.files);
    await sleep(lookEveryMs, undefined, { signal });
  }
}
