import { execFile } from "node:child_process";
import { resolve } from "node:path";
import type { Compiler } from "./compilers.ts";
import type { Project } from "./projects.ts";

/** What a compiler says of a program. */
export interface Compilation {
  /** Types the compiler made. */
  readonly types: number;
  readonly instantiations: number;
  readonly checkMs: number;
  readonly memoryMiB: number;
  readonly errors: readonly CompileError[];
}

export interface CompileError {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** Compiles a program in a process of its own. */
export async function compile(project: Project, { tsc, flags }: Compiler): Promise<Compilation> {
  const args = [tsc, "-p", project.folder, "--extendedDiagnostics", "--pretty", "false", ...flags];
  const output = await new Promise<string>((answer, reject) => {
    execFile(process.execPath, args, { cwd: project.folder, maxBuffer: 2 ** 28 }, (_error, stdout, stderr) =>
      stdout.includes("Instantiations")
        ? answer(stdout)
        : reject(new Error(`${tsc} could not run: ${stderr}${stdout}`.slice(0, 500))),
    );
  });
  return {
    types: figure(output, "Types"),
    instantiations: figure(output, "Instantiations"),
    checkMs: figure(output, "Check time") * 1_000,
    memoryMiB: figure(output, "Memory used") / 1_024,
    errors: [...output.matchAll(/^(.*)\((\d+),\d+\): error (.*)$/gmu)].map(([, file = "", line, message = ""]) => ({
      file: resolve(project.folder, file),
      line: Number(line),
      message,
    })),
  };
}

function figure(output: string, name: string): number {
  const value = new RegExp(`^${name}:\\s+([\\d.]+)`, "mu").exec(output)?.[1];
  if (value === undefined) throw new Error(`the compiler reports no ${name}`);
  return Number(value);
}
