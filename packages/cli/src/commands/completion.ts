import { Argument, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Perform } from "../call.ts";
import { bashScript, fishScript, zshScript, type Completed } from "../completion/scripts.ts";
import { everyCommand, pathOf } from "../every-command.ts";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export function addCompletion(program: CommandUnknownOpts, perform: Perform): void {
  program
    .command("completion")
    .description("Print a script that makes a shell complete commands and options.")
    .addArgument(new Argument("<shell>", "bash, zsh or fish").choices(["bash", "zsh", "fish"] as const))
    .addHelpText("after", '\nFor bash: eval "$(chainwright completion bash)" in ~/.bashrc')
    .action(async (shell) => {
      await perform(async ({ surroundings }) => {
        surroundings.print(scripts[shell](everyCommand(program).map(completed)));
        return 0;
      });
    });
}

function completed(command: CommandUnknownOpts): Completed {
  const options = command.options.map(({ long }) => long ?? "").filter((flag) => flag !== "");
  return { path: pathOf(command), words: [...command.commands.map((inner) => inner.name()), ...options, "--help"] };
}
