import { execFile } from "node:child_process";
import { promisify } from "node:util";

const flags = ["--conditions=@chainwright/source", "--experimental-strip-types", "--no-warnings"];

export interface ProgramOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program of this workspace from its sources, and returns its output; if it fails, the error has all of its output. */
export async function outputOf(program: URL, { args = [], env = {} }: ProgramOptions = {}): Promise<string> {
  const options = { env: { ...process.env, NO_COLOR: "1", ...env }, timeout: 60_000 };
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, program.pathname, ...args], options);
  return stdout;
}
