import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Perform } from "../call.ts";
import { addChangesOfChains } from "./chains-change.ts";
import { addChainsList } from "./chains-list.ts";
import { addChainsShow } from "./chains-show.ts";

export function addChains(program: CommandUnknownOpts, perform: Perform): void {
  const chains = program.command("chains").description("List, show, cancel, retry and delete chains.");
  addChainsList(chains, perform);
  addChainsShow(chains, perform);
  addChangesOfChains(chains, perform);
}
