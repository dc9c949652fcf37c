import type { WorkerProgram } from "./toolchains.ts";
import { startWorker, type WorkerProcess } from "./worker-process.ts";

/** What a worker has reported about a job. */
export interface Report {
  /** Which process. */
  readonly worker: number;
  readonly event: "claimed" | "settled" | "lost" | "returning" | "returned";
  readonly id: string;
  readonly attempt: number;
  /** The kind of a settled outcome. */
  readonly kind?: string;
}

/** Processes of workers, and all that they have reported. */
export interface Fleet {
  readonly reports: readonly Report[];
  /** The processes that were killed without warning. */
  readonly killed: ReadonlySet<number>;
  /** Adds a process. */
  add(program: WorkerProgram): void;
  /** Ends the oldest process of a program, and starts another one in its place. */
  replace(program: WorkerProgram, signal: "SIGKILL" | "SIGTERM"): Promise<void>;
  /** Resolves after so many settled outcomes in all. Rejects when a process ends by itself. */
  untilSettled(count: number): Promise<void>;
  stop(): Promise<void>;
}

export function createFleet(env: Readonly<Record<string, string>>): Fleet {
  const reports: Report[] = [];
  const running: { readonly worker: number; readonly process: WorkerProcess }[] = [];
  const killed = new Set<number>();
  const waits: { readonly count: number; readonly resolve: () => void }[] = [];
  const failed = Promise.withResolvers<never>();
  // It may happen while no one waits.
  failed.promise.catch(() => undefined);
  let workers = 0;
  let settled = 0;
  const wake = (): void => {
    for (const { count, resolve } of waits) if (count <= settled) resolve();
  };
  const take = (worker: number, line: string): void => {
    const report = JSON.parse(line) as Omit<Report, "worker">;
    reports.push({ ...report, worker });
    if (report.event === "settled") settled += 1;
    wake();
  };
  const add = (program: WorkerProgram): void => {
    const worker = (workers += 1);
    const listener = { onLine: (line: string) => take(worker, line), onFailure: failed.reject };
    running.push({ worker, process: startWorker(program, env, listener) });
  };
  return {
    reports,
    killed,
    add,
    async replace(program, signal) {
      const at = running.findIndex(({ process }) => process.program === program);
      const [oldest] = running.splice(at, 1);
      if (oldest !== undefined && signal === "SIGKILL") killed.add(oldest.worker);
      add(program);
      await oldest?.process.end(signal);
    },
    async untilSettled(count) {
      const enough = new Promise<void>((resolve) => waits.push({ count, resolve }));
      wake();
      await Promise.race([enough, failed.promise]);
    },
    async stop() {
      await Promise.all(running.splice(0).map(({ process }) => process.end("SIGTERM")));
    },
  };
}
