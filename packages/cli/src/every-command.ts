import type { CommandUnknownOpts } from "@commander-js/extra-typings";

/** A command with those inside it. */
export function everyCommand(command: CommandUnknownOpts): readonly CommandUnknownOpts[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

/** The words that name a command, after the program's name. */
export function pathOf(command: CommandUnknownOpts): readonly string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}
