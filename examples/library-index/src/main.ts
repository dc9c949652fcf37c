// The demo: npm run demo -- [folder]. Read job-types.ts next, then file-processors.ts and library-processors.ts.
import { isChainwrightError } from "chainwright";
import { readOptions } from "./options.ts";
import { runOnJournal } from "./journal/run.ts";
import { run } from "./run.ts";

// npm runs scripts in the repository's folder; INIT_CWD has the user's folder.
const asked = readOptions(process.argv.slice(2), process.env["INIT_CWD"] ?? process.cwd());

if ("say" in asked) {
  if (asked.exitCode === 0) console.log(asked.say);
  else console.error(asked.say);
  process.exitCode = asked.exitCode;
} else {
  const interruption = new AbortController();
  for (const [signal, exitCode] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    process.once(signal, () => {
      // The second signal ends the process at once, as it would by default.
      process.exitCode = exitCode;
      interruption.abort(new Error(`interrupted by ${signal}`));
    });
  }
  // The reader of the output (a pager, head) has exited.
  process.stdout.once("error", () => process.exit(1));
  try {
    const runOn = asked.options.store === "journal" ? runOnJournal : run;
    const right = await runOn(asked.options, interruption.signal);
    process.exitCode ??= right ? 0 : 1;
  } catch (error) {
    process.exitCode ??= 1;
    console.error(
      isChainwrightError(error) ? `${error.code}: ${error.message}` : error instanceof Error ? error.message : error,
    );
  }
}
