import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const flags = ["--conditions=@chainwright/source", "--experimental-strip-types", "--no-warnings"];

/** A program of this workspace that runs until the test ends it. */
export interface RunningProgram {
  /** The first line that it wrote: it is ready then. */
  readonly firstLine: string;
  /** What it has written to standard error. */
  errors(): string;
  kill(signal: NodeJS.Signals): void;
  /** Ends the program in an orderly way, or as told, if it still runs, and waits for its end. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export async function startProgram(program: URL, env: Readonly<Record<string, string>>): Promise<RunningProgram> {
  const child = spawn(process.execPath, [...flags, program.pathname], {
    env: { ...process.env, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const exited = once(child, "exit");
  const failed = exited.then(() =>
    Promise.reject(new Error(`${program.pathname} ended before it was ready: ${errors}`)),
  );
  const [firstLine] = (await Promise.race([once(createInterface(child.stdout), "line"), failed])) as [string];
  failed.catch(() => undefined);
  return {
    firstLine,
    errors: () => errors,
    kill: (signal) => void child.kill(signal),
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      await exited;
    },
  };
}
