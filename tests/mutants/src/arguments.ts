import { parseArgs } from "node:util";
import { targets, type Target } from "./targets.ts";

const names = targets.map(({ name }) => name);

export const usage = `Usage: npm run mutants -- [options] [part of a name]...

Takes protections out of a copy of the sources, one after the other, and prints which test notices first.
Ends with status 1 if no test notices one of them. Without arguments it tries every mutant, which takes hours.

  part of a name     only mutants whose name contains one of these texts
  --target <name>    only mutants of ${names.join(", ")}; may be repeated
  --minutes <n>      in random order, until the time is up
  --every            run all suites, also after one has failed
  --list             print the names of the mutants and end
  -h, --help         print this text and end
`;

/** What the command line asks for. */
export interface Choice {
  /** With the mutants that were chosen only. */
  readonly targets: readonly Target[];
  readonly every: boolean;
  readonly list: boolean;
  readonly minutes: number | undefined;
  /** Whether the suites have to pass without a mutant first: otherwise their failures prove nothing. */
  readonly checksFirst: boolean;
}

/** Reads the command line. A mistake in it is returned as a sentence. */
export function readArguments(args: readonly string[]): Choice | "help" | { readonly mistake: string } {
  try {
    const { values, positionals } = parse(args);
    if (values.help) return "help";
    const unknown = values.target.find((target) => !names.some((name) => name === target));
    if (unknown !== undefined) return { mistake: `--target must be one of ${names.join(", ")}; got ${unknown}` };
    const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
    if (minutes !== undefined && !(minutes > 0)) {
      return { mistake: `--minutes must be a number above 0; got ${values.minutes}` };
    }
    const isChosen = (name: string) => positionals.length === 0 || positionals.some((part) => name.includes(part));
    const chosen = targets
      .filter(({ name }) => values.target.includes(name))
      .map((target) => ({ ...target, mutants: target.mutants.filter(({ name }) => isChosen(name)) }))
      .filter(({ mutants }) => mutants.length > 0);
    if (chosen.length === 0) {
      return { mistake: `no mutant has a name that contains "${positionals.join('" or "')}"; --list prints all names` };
    }
    const checksFirst = positionals.length === 0 && minutes === undefined;
    return { targets: chosen, every: values.every, list: values.list, minutes, checksFirst };
  } catch (error) {
    return { mistake: error instanceof Error ? error.message : String(error) };
  }
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      target: { type: "string", multiple: true, default: names },
      minutes: { type: "string" },
      every: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
}
