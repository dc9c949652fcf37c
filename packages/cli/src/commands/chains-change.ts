import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { ChainStatus } from "chainwright";
import { bulk, type BulkFlags } from "../bulk/bulk.ts";
import type { Change } from "../bulk/perform.ts";
import type { Words } from "../bulk/report.ts";
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
import { pagesOf } from "../lists/walk.ts";
import { notFound } from "../lists/find-id.ts";
import { dryRunFlag, yesFlag } from "../options.ts";
import { parseJson } from "../parse-json.ts";
import type { ErasedClient } from "chainwright/adapter";
import { counted } from "../text/numbers.ts";
import { UsageError } from "../usage-error.ts";

interface Chosen extends FilterFlags, LabelFlags, BulkFlags {
  readonly status?: readonly ChainStatus[] | undefined;
}

interface Kind extends Words {
  /** The chains that it can be done to: the filter without `--status`. */
  readonly usualStatus: readonly ChainStatus[];
}

const cancelling: Kind = { verb: "cancel", past: "cancelled", noun: "chain", usualStatus: ["active"] };
const retrying: Kind = { verb: "retry", past: "retried", noun: "chain", usualStatus: ["failed"] };
const deleting: Kind = {
  verb: "delete",
  past: "deleted",
  noun: "chain",
  usualStatus: ["completed", "failed", "cancelled"],
};

export function addChangesOfChains(chains: CommandUnknownOpts, perform: Perform): void {
  changing(chains, cancelling, "End active chains: those with these ids, or all that match the filters.")
    .option("--reason <text>", "stored with the chains")
    .action(async (ids, options) => {
      await perform(async (call) => await change(call, cancelling, { ids, options, of: cancelOf(options.reason) }));
    });
  changing(chains, retrying, "Resume failed and cancelled chains at the step where they stopped.")
    .option("--input <json>", "another input of that step, for a single chain")
    .action(async (ids, options) => await perform(async (call) => await retry(call, ids, options)));
  changing(chains, deleting, "Delete chains with all their jobs.")
    .option("--cascade", "also the chains that wait for them")
    .action(async (ids, options) => {
      const cascade = options.cascade === true;
      await perform(async (call) => await change(call, deleting, { ids, options, of: deleteOf(cascade) }));
    });
}

function changing(chains: CommandUnknownOpts, { verb, usualStatus }: Kind, description: string) {
  const filters = `${description} Without --status: ${usualStatus.join(", ")}.`;
  return withFilters(
    chains.command(verb).argument("[ids...]", "whole ids").description(filters),
    "chains",
    chainStatuses,
  )
    .option(...tagFlag)
    .option(...keyFlag)
    .option(...dryRunFlag)
    .option(...yesFlag);
}

type MakeChange = (client: ErasedClient) => Change;

const cancelOf =
  (reason: string | undefined): MakeChange =>
  (client) =>
  async (items, tx) =>
    (await client.cancelChains({ items: items.map(({ id }) => ({ id, reason })), tx })).flatMap(
      ({ cancelled }) => cancelled,
    );

const deleteOf =
  (cascade: boolean): MakeChange =>
  (client) =>
  async (items, tx) =>
    await client.deleteChains({ items, cascade, tx });

interface Asked {
  readonly ids: readonly string[];
  readonly options: Chosen;
  readonly of: MakeChange;
}

async function change(call: Call, kind: Kind, { ids: given, options, of }: Asked): Promise<number> {
  const { client } = await call.open();
  const ids = given.length > 0 ? withoutFilters(given, options) : await idsOf(client, kind, options);
  if (ids.length === 0) {
    call.out.line(`no chains to ${kind.verb}`, { [kind.past]: 0 });
    return 0;
  }
  return await bulk(
    call,
    client,
    { ...kind, ids, question: questionOf(ids.length, kind, options), change: of(client) },
    options,
  );
}

async function retry(
  call: Call,
  ids: readonly string[],
  options: Chosen & { readonly input?: string | undefined },
): Promise<number> {
  const { input } = options;
  if (input === undefined) {
    const of: MakeChange = (client) => async (items, tx) => {
      await client.retryChains({ items, tx });
      return [];
    };
    return await change(call, retrying, { ids, options, of });
  }
  if (ids.length !== 1) throw new UsageError("--input is for a single chain: name its id");
  const replacement = parseJson(input, "--input");
  const of: MakeChange = (client) => async (items, tx) => {
    for (const { id } of items) {
      const step = await client.explainChain({ id });
      if (step === undefined) throw notFound("chain", id);
      await client.retryChains({ items: [{ id, typeName: step.typeName, input: replacement }], tx });
    }
    return [];
  };
  return await change(call, retrying, { ids, options, of });
}

function withoutFilters(ids: readonly string[], options: Chosen): readonly string[] {
  if (hasFilter(options) || options.limit !== undefined) throw new UsageError("name ids or filters, not both");
  return [...new Set(ids)];
}

function hasFilter({ type, status, since, until, error, tag, key }: Chosen): boolean {
  return [type, status, since, until, error, tag, key].some((filter) => filter !== undefined);
}

/** Counting comes first: what was asked about is what is changed, even if more match a moment later. */
async function idsOf(client: ErasedClient, { verb, usualStatus }: Kind, options: Chosen): Promise<readonly string[]> {
  if (!hasFilter(options))
    throw new UsageError(`name the chains to ${verb}: ids, or a filter such as --type or --status`);
  const filters = { ...filtersOf(options), ...labelsOf(options), status: options.status ?? usualStatus };
  const ids: string[] = [];
  for await (const page of pagesOf(
    async (at) => await client.listChains({ ...filters, ...at }),
    options.limit ?? Infinity,
    1_000,
  )) {
    ids.push(...page.map(({ id }) => id));
  }
  return ids;
}

function questionOf(count: number, { verb, usualStatus }: Kind, options: Chosen): string {
  const status = hasFilter(options) ? `${(options.status ?? usualStatus).join(" or ")} ` : "";
  const of = options.type === undefined ? "" : ` of ${options.type.join(", ")}`;
  const since = options.since === undefined ? "" : ` since ${options.since}`;
  const them = count === 1 ? "it" : "them";
  return `${count.toLocaleString("en")} ${status}${counted(count, "chain").replace(/^\S+ /, "")}${of}${since}. ${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${them}?`;
}
