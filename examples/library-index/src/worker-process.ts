import { fork } from "node:child_process";
import { once } from "node:events";

/** A message of a worker process to the demo. */
export type WorkerMessage = { readonly kind: "half-way" } | { readonly kind: "memory"; readonly bytes: number };

export interface WorkerProcess {
  readonly pid: number | undefined;
  /** Resolves when the worker has stopped half-way and waits to be killed. */
  readonly halfWay: Promise<void>;
  /** Resolves when the process has ended, with its signal or status: "SIGKILL", "status 0". */
  readonly ended: Promise<string>;
  /** The largest resident set size that it reported, in bytes. */
  largestMemory(): number;
  kill(): void;
  /** Lets it finish its running steps and give back the rest; kills it if it does not end. */
  stop(): Promise<void>;
}

export interface WorkerProcessOptions {
  readonly database: string;
  readonly stopsHalfWay: boolean;
  /** Whether it stops when half of the report is merged. */
  readonly stopsInReport: boolean;
  /** How many files are still to be catalogued, if the scan has finished. */
  readonly filesLeft?: number | undefined;
}

/**
 * Collects garbage early, so that the reported memory is what the work needs: with 20,000 files it stays at 150 MB instead of growing
 * to 270 MB.
 */
const smallHeap = ["--max-semi-space-size=4"];

/** A worker that has not stopped after this time is killed. */
const stopTimeoutMs = 6_000;

export function startWorkerProcess({
  database,
  stopsHalfWay,
  stopsInReport,
  filesLeft,
}: WorkerProcessOptions): WorkerProcess {
  const args = ["--database", database];
  if (stopsHalfWay) args.push("--stop-half-way");
  if (stopsInReport) args.push("--stop-in-report");
  if (filesLeft !== undefined) args.push("--files-left", String(filesLeft));
  const child = fork(new URL("./worker.ts", import.meta.url), args, { execArgv: [...process.execArgv, ...smallHeap] });

  let largest = 0;
  const halfWay = new Promise<void>((resolve) => {
    child.on("message", (message: WorkerMessage) => {
      if (message.kind === "half-way") resolve();
      else largest = Math.max(largest, message.bytes);
    });
  });
  const ended = once(child, "exit").then(([code, signal]) => String(signal ?? `status ${String(code)}`));

  return {
    pid: child.pid,
    halfWay,
    ended,
    largestMemory: () => largest,
    kill: () => void child.kill("SIGKILL"),
    async stop() {
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
      await ended;
      clearTimeout(timer);
    },
  };
}
