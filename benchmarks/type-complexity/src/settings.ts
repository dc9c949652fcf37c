import { Command, InvalidArgumentError } from "commander";
import { compilers, type Compiler } from "./compilers.ts";

/** What a run measures, as the command line says. */
export interface Settings {
  /** Parts of scenarios' names; none: all. */
  readonly only: readonly string[];
  readonly compilers: readonly Compiler[];
  /** Checks of each program; the median time is shown. */
  readonly repeat: number;
  readonly completion: boolean;
  /** Whether to build the package first. */
  readonly build: boolean;
  readonly json: string | undefined;
}

interface Options {
  readonly only: readonly string[];
  readonly typescript: readonly string[];
  readonly repeat: number;
  readonly completion: boolean;
  readonly build: boolean;
  readonly json?: string;
  readonly smoke: boolean;
}

/** Reads the command line. With `--help` it prints the usage and ends the process. */
export function readSettings(argv: readonly string[]): Settings {
  const command = new Command("pnpm bench:types")
    .description(
      `Compiles generated programs of 1 to 2,500 job types against the built declarations and counts what that takes.
Each program has definitions, a handler for every type, middleware, blockers and the client's calls; it has to compile
without an error, and a mistake planted in its last handler has to be found.`,
    )
    .option("--only <parts>", "scenarios whose names contain one of these, separated by commas", list, [])
    .option("--typescript <versions>", `of ${versions.join(", ")}, separated by commas`, list, versions)
    .option("--repeat <times>", "checks of each program; the median time is shown", count, 1)
    .option("--no-completion", "leaves out how long the editor takes to complete a name among 2,500 types")
    .option("--no-build", "takes the declarations as they were last built")
    .option("--json <file>", "writes everything measured")
    .option("--smoke", "three small programs with one TypeScript: does the tool still run?", false)
    .parse(argv.filter((argument) => argument !== "--"));
  const { only, typescript, repeat, completion, build, json, smoke } = command.opts<Options>();
  return {
    only: smoke ? ["linear 10", "blockers 8", "loop 20"] : only,
    compilers: compilers.filter(({ version }) => (smoke ? version.startsWith("7.") : typescript.includes(version))),
    repeat,
    completion: completion && !smoke,
    build,
    json,
  };
}

const versions = compilers.map(({ version }) => version);

function list(value: string): readonly string[] {
  return value.split(",").map((part) => part.trim());
}

function count(value: string): number {
  const times = Number(value);
  if (!Number.isSafeInteger(times) || times < 1) throw new InvalidArgumentError("It is a whole number from 1.");
  return times;
}
