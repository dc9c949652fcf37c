import { fork } from "node:child_process";
import { once } from "node:events";

/** What a worker process tells the demo. */
export type WorkerMessage = { readonly kind: "half-way" } | { readonly kind: "memory"; readonly bytes: number };

export interface WorkerProcess {
  readonly pid: number | undefined;
  /** Resolves when it has stopped half-way and waits to be killed. */
  readonly halfWay: Promise<void>;
  /** Resolves when the process has ended, with how it did: "SIGKILL", "status 0". */
  readonly ended: Promise<string>;
  /** The most memory that it was seen to hold: resident set size, in bytes. */
  largestMemory(): number;
  kill(): void;
  /** Lets it end what it is doing and give back the rest; if it does not come to an end, it is killed. */
  stop(): Promise<void>;
}

export interface WorkerProcessOptions {
  readonly database: string;
  readonly stopsHalfWay: boolean;
  /** How many files are still to be catalogued, if the scan has told already. */
  readonly filesLeft?: number | undefined;
}

/**
 * Garbage is collected while there is little of it, instead of kept until there is much: the memory that is shown is then
 * what the work needs. With 20,000 files 150 MB from the scan to the end, instead of a climb to 270.
 */
const smallHeap = ["--max-semi-space-size=4"];

/** After this long, stopping becomes killing. */
const stopTimeoutMs = 6_000;

export function startWorkerProcess({ database, stopsHalfWay, filesLeft }: WorkerProcessOptions): WorkerProcess {
  const args = ["--database", database];
  if (stopsHalfWay) args.push("--stop-half-way");
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
