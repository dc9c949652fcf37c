import { Command } from "@commander-js/extra-typings";
import type { Perform } from "./call.ts";
import { addChains } from "./commands/chains.ts";
import { addCheck } from "./commands/check.ts";
import { addCompletion } from "./commands/completion.ts";
import { addDashboard } from "./commands/dashboard.ts";
import { addDev } from "./commands/dev.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addGateway } from "./commands/gateway.ts";
import { addJobs } from "./commands/jobs.ts";
import { addJournal } from "./commands/journal.ts";
import { addLimits } from "./commands/limits.ts";
import { addMigrate } from "./commands/migrate.ts";
import { addSchedules } from "./commands/schedules.ts";
import { addSignal } from "./commands/signal.ts";
import { addStart } from "./commands/start.ts";
import { addTail } from "./commands/tail.ts";
import { addTypes } from "./commands/types.ts";
import { addWorkers } from "./commands/workers.ts";

const footer = `
The store is --store, else --config, else chainwright.config.ts (.mjs, .js) in
this folder, else CHAINWRIGHT_STORE or CHAINWRIGHT_POSTGRES_URL:
  postgres://user@host/database?schema=chainwright
  sqlite:./jobs.db?tablePrefix=chainwright_
  journal:./jobs

Exit codes: 0, nothing is wrong; 1, something is wrong, was refused or failed;
2, the command line is wrong.`;

const usualWidth = 80;

/** Where the texts of the parser go. */
export interface ParserOutput {
  readonly print: (text: string) => void;
  /** The help that is shown because there is no command. Errors are told elsewhere. */
  readonly keepHelp: (text: string) => void;
  readonly columns: number | undefined;
}

/** The program with all its commands. Nothing is loaded but their descriptions. */
export function createProgram({ print, keepHelp, columns }: ParserOutput, perform: Perform) {
  const program = new Command("chainwright")
    .description("Migrate, check, look at and repair the chains of a store.")
    .option("--store <url>", "the store, as a URL; in the environment it stays out of the list of processes")
    .option("--config <file>", "a module whose default export has client and stateAdapter")
    .option("--json", "print one JSON object on each line")
    .addHelpText("after", footer)
    .showSuggestionAfterError()
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .exitOverride()
    .configureOutput({
      writeOut: print,
      writeErr: keepHelp,
      getOutHelpWidth: () => columns ?? usualWidth,
      getErrHelpWidth: () => columns ?? usualWidth,
      getOutHasColors: () => false,
    });
  for (const add of [
    addMigrate,
    addDoctor,
    addCheck,
    addChains,
    addJobs,
    addTypes,
    addWorkers,
    addLimits,
    addSchedules,
    addStart,
    addSignal,
    addTail,
    addDashboard,
    addGateway,
    addDev,
    addJournal,
    addCompletion,
  ]) {
    add(program, perform);
  }
  return program;
}
