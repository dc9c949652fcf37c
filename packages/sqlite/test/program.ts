import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Runs a program of the `fixtures` folder from its sources, in a process of its own that ends with this one. */
export function runProgram(
  name: string,
  options: { readonly env?: NodeJS.ProcessEnv },
  ...parameters: readonly string[]
): ChildProcess {
  const path = fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url));
  const flags = ["--conditions=@chainwright/source", "--experimental-strip-types", "--no-warnings"];
  return spawn(process.execPath, [...flags, path, ...parameters], { ...options, stdio: ["pipe", "pipe", "inherit"] });
}

/** What it wrote, once it has ended well. */
export async function outputOf(program: ChildProcess): Promise<string> {
  let output = "";
  program.stdout?.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  const code = await endOf(program);
  if (code !== 0) throw new Error(`the program ended with ${String(code)}`);
  return output;
}

/** Its exit code, or the signal that ended it. */
export function endOf(program: ChildProcess): Promise<number | string | null> {
  return new Promise((resolve, reject) => {
    program.on("error", reject);
    program.on("close", (code, signal) => resolve(code ?? signal));
  });
}

/** Resolves when it has said its first line. */
export function beginningOf(program: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    program.stdout?.once("data", () => resolve());
    program.once("error", reject);
    program.once("close", () => reject(new Error("the program ended before it began")));
  });
}
