import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { WorkerProgram } from "./toolchains.ts";

/** A running worker. */
export interface WorkerProcess {
  readonly program: WorkerProgram;
  /** Ends it, and waits until all that it has written is read. */
  end(signal: NodeJS.Signals): Promise<void>;
}

interface Listener {
  onLine(line: string): void;
  /** It ended without being asked. */
  onFailure(error: Error): void;
}

export function startWorker(
  program: WorkerProgram,
  env: Readonly<Record<string, string>>,
  { onLine, onFailure }: Listener,
): WorkerProcess {
  const { command, args, folder: cwd } = program;
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  let isEnding = false;
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const lines = createInterface(child.stdout).on("line", onLine);
  const read = Promise.all([once(child, "exit"), once(lines, "close")]);
  child.once("exit", (code) => {
    if (!isEnding) onFailure(new Error(`${command} ended by itself with ${code}: ${errors}`));
  });
  return {
    program,
    async end(signal) {
      isEnding = true;
      child.kill(signal);
      await read;
    },
  };
}
