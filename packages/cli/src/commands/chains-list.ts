import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { ChainStatus } from "chainwright";
import type { Call, Perform } from "../call.ts";
import {
  chainStatuses,
  filtersOf,
  keyFlag,
  labelsOf,
  tagFlag,
  withFilters,
  type FilterFlags,
  type LabelFlags,
} from "../lists/filters.ts";
import { limitOf, pagesOf, usualLimit } from "../lists/walk.ts";
import { listed, payloadsFlag, redactFlag } from "../options.ts";
import { chainTable } from "../views/chain-view.ts";
import { payloadsBy, type PayloadFlags } from "../views/payload.ts";

interface Options extends FilterFlags, LabelFlags, PayloadFlags {
  readonly status?: readonly ChainStatus[] | undefined;
  readonly oldest?: true | undefined;
  readonly all?: true | undefined;
}

/** A page reads at most so many rows, so that a rare match in a long history can be stopped. */
const mostScanned = 20_000;

export function addChainsList(chains: CommandUnknownOpts, perform: Perform): void {
  withFilters(
    chains.command("list").description(`List chains, the newest first; ${usualLimit} without --limit.`),
    "chains",
    chainStatuses,
  )
    .option(...tagFlag)
    .option(...keyFlag)
    .option("--oldest", "the oldest first")
    .option("--all", "all that match, page by page")
    .option(...payloadsFlag)
    .option(...redactFlag, listed)
    .action(async (options) => await perform(async (call) => await list(call, options)));
}

async function list(call: Call, options: Options): Promise<number> {
  const { client } = await call.open();
  const table = chainTable(await payloadsBy(options));
  const filters = {
    ...filtersOf(options),
    ...labelsOf(options),
    status: options.status,
    order: options.oldest === true ? ("oldest" as const) : undefined,
  };
  let count = 0;
  for await (const page of pagesOf(
    async (at) => await client.listChains({ ...filters, ...at, maxScanned: mostScanned }),
    limitOf(options),
  )) {
    call.out.rows(table, page);
    count += page.length;
  }
  if (count === 0) call.out.say("No chains.", "dim");
  return 0;
}
