import { spawnSync } from "node:child_process";

export interface RunOptions {
  readonly cwd: string;
  /** The Node to run it with. Default: the Node of this process. */
  readonly node?: string;
  /** Its output is shown only if it fails. */
  readonly silent?: boolean;
  /** Variables in addition to those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs Node and returns its output; a failure is an error that contains its output. */
export function runNode(args: readonly string[], options: RunOptions): string {
  return runProgram(options.node ?? process.execPath, args, options);
}

export function runProgram(program: string, args: readonly string[], options: RunOptions): string {
  const { cwd, silent = false, environment } = options;
  const env = { ...process.env, ...environment };
  const { status, signal, stdout, stderr, error } = spawnSync(program, args, { cwd, env, encoding: "utf8" });
  if (error !== undefined) throw error;
  if (status !== 0) {
    throw new Error(`${[program, ...args].join(" ")} ended with ${signal ?? status}:\n${stdout}${stderr}`);
  }
  if (!silent) process.stdout.write(stdout + stderr);
  return stdout;
}
