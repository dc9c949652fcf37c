import { compile } from "./compile.ts";
import type { Compiler } from "./compilers.ts";
import type { Projects } from "./projects.ts";
import { countTypes, type Scenario } from "./scenarios/all.ts";

/** One program with one compiler. */
export interface Measurement {
  readonly scenario: string;
  readonly jobTypes: number;
  readonly compiler: string;
  readonly types: number;
  readonly instantiations: number;
  /** The median of the repeats. */
  readonly checkMs: number;
  readonly memoryMiB: number;
  readonly errors: number;
  readonly firstError: string | undefined;
  /** Whether the compiler reported the mistake in the last handler on its line, and nothing else. */
  readonly mistakeCaught: boolean;
}

export async function measure(
  projects: Projects,
  scenario: Scenario,
  compiler: Compiler,
  repeat: number,
): Promise<Measurement> {
  const right = projects.write(scenario, false);
  const runs = [];
  for (let run = 0; run < repeat; run += 1) runs.push(await compile(right, compiler));
  const [first] = runs;
  if (first === undefined) throw new Error("nothing was compiled");
  const times = runs.map((run) => run.checkMs).sort((a, b) => a - b);
  return {
    scenario: scenario.name,
    jobTypes: countTypes(scenario),
    compiler: compiler.version,
    types: first.types,
    instantiations: first.instantiations,
    checkMs: times[Math.floor(times.length / 2)] ?? first.checkMs,
    memoryMiB: first.memoryMiB,
    errors: first.errors.length,
    firstError: first.errors[0]?.message,
    mistakeCaught: await catchesMistake(projects, scenario, compiler),
  };
}

/** Compiles the program with its mistake, which has to be reported on its line, and nothing else. */
async function catchesMistake(projects: Projects, scenario: Scenario, compiler: Compiler): Promise<boolean> {
  const wrong = projects.write(scenario, true);
  const { errors } = await compile(wrong, compiler);
  const [error] = errors;
  if (error === undefined || errors.length > 1) return false;
  return error.line === wrong.mistakeLine && error.message.includes("noSuchProperty");
}
