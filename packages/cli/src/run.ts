import { CommanderError } from "@commander-js/extra-typings";
import type { Call } from "./call.ts";
import { failureLine, failureOf } from "./failure.ts";
import { createProgram } from "./program.ts";
import { openStore } from "./store/open-store.ts";
import { secretsOf } from "./store/store-url.ts";
import type { Surroundings } from "./surroundings.ts";

/**
 * Runs the command line and returns its exit code: 0, nothing is wrong; 1, something is, or was refused, or failed; 2, the command line is
 * wrong.
 *
 * @example
 * const typesOf = async (surroundings: Surroundings, store: string): Promise<number> =>
 *   await run({ ...surroundings, args: ["--store", store, "types", "--json"] });
 */
export async function run(surroundings: Surroundings): Promise<number> {
  const { args, env, print, complain } = surroundings;
  const closers: (() => Promise<void>)[] = [];
  let code = 0;
  let help = "";
  const output = { print, keepHelp: (text: string) => void (help += text), columns: surroundings.columns };
  const program = createProgram(output, async (work) => {
    const { store, config, json = false } = program.opts();
    // Measuring the width of texts takes 30 ms to load, which --help does not need.
    const { createOutput } = await import("./output/output.ts");
    const call: Call = {
      surroundings,
      out: createOutput(surroundings, { isJson: json }),
      storeOptions: { store, config },
      open: async (options) => {
        const opened = await openStore({ store, config }, surroundings, options);
        closers.push(opened.close);
        return opened;
      },
      untilEnd: (close) => void closers.push(close),
    };
    code = await work(call);
  });
  try {
    await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (error instanceof CommanderError && error.code === "commander.help") {
      complain(help);
      return 2;
    }
    const failure = failureOf(error, secretsOf([...args, ...Object.values(env)]));
    complain(failureLine(failure, args.includes("--json")));
    code = failure.exitCode;
  } finally {
    for (const close of closers.toReversed()) await close().catch(() => undefined);
  }
  return code;
}
