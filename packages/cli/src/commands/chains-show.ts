import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Chain } from "chainwright";
import type { Call, Perform } from "../call.ts";
import { findId, notFound } from "../lists/find-id.ts";
import { pagesOf } from "../lists/walk.ts";
import { listed, payloadsFlag, redactFlag } from "../options.ts";
import type { Cell, Style } from "../output/output.ts";
import { pausing, stopSignal } from "../stopping.ts";
import type { ErasedClient } from "chainwright/adapter";
import { toJson } from "../text/escape.ts";
import { chainJson, errorOf } from "../views/chain-view.ts";
import { errorLines, jobJson, stepTable, type AnyJob } from "../views/job-view.ts";
import { payloadsBy, type PayloadFlags, type ShowPayload } from "../views/payload.ts";
import { statusStyle } from "../views/status.ts";

interface Options extends PayloadFlags {
  readonly watch?: true | undefined;
}

export function addChainsShow(chains: CommandUnknownOpts, perform: Perform): void {
  chains
    .command("show")
    .description("Show a chain: its steps, what it waits for, what waits for it, and why it does not go on.")
    .argument("<id>", "its id, or the start of it: at least 8 characters")
    .option("--watch", "show it again whenever it changes, until it has ended")
    .option(...payloadsFlag)
    .option(...redactFlag, listed)
    .action(async (id, options) => await perform(async (call) => await show(call, id, options)));
}

/** What is known of a chain. */
interface Known {
  readonly chain: Chain;
  readonly jobs: readonly AnyJob[];
  readonly why: string | undefined;
  readonly blockers: readonly Chain[];
  readonly dependents: readonly AnyJob[];
}

const mostListed = 1_000;
const shownBeside = 20;
const watchEveryMs = 1_000;

async function show(call: Call, start: string, options: Options): Promise<number> {
  const { client } = await call.open();
  const payload = await payloadsBy(options);
  const id = await findId(start, "chain", async (at) => await client.listChains(at));
  const stopped = stopSignal(call);
  let before = "";
  for (;;) {
    const known = await read(client, id);
    if (known === undefined) throw notFound("chain", id);
    const print = toJson(jsonOf(known, payload));
    if (print !== before) printChain(call, known, payload);
    before = print;
    if (options.watch !== true || known.chain.status !== "active" || stopped.aborted) return 0;
    await pausing(watchEveryMs, stopped);
  }
}

async function read(client: ErasedClient, id: string): Promise<Known | undefined> {
  const chain = await client.getChain({ id });
  if (chain === undefined) return undefined;
  const jobs: AnyJob[] = [];
  for await (const page of pagesOf(async (at) => await client.listChainJobs({ id, ...at }), mostListed))
    jobs.push(...page);
  const last = jobs.at(-1);
  const isBlocked = last !== undefined && last.blockers === undefined ? last.blockersLeft > 0 : last !== undefined;
  return {
    chain,
    jobs,
    why: (await client.explainChain({ id }))?.summary,
    blockers:
      last !== undefined && isBlocked ? (await client.listJobBlockers({ id: last.id, limit: shownBeside })).items : [],
    dependents: (await client.listBlockedJobs({ id, limit: shownBeside })).items,
  };
}

function jsonOf({ chain, jobs, why, blockers, dependents }: Known, payload: ShowPayload | undefined): object {
  return {
    ...chainJson(chain, payload),
    why,
    steps: jobs.map((job) => jobJson(job, payload)),
    blockers: blockers.map(({ id, typeName, status }) => ({ id, typeName, status })),
    dependents: dependents.map(({ id, chainId, typeName, status }) => ({ id, chainId, typeName, status })),
  };
}

function printChain({ out }: Call, known: Known, payload: ShowPayload | undefined): void {
  const { chain, jobs, why, blockers, dependents } = known;
  out.facts(factsOf(known, payload, out.isTerminal), jsonOf(known, payload));
  if (out.isJson) return;
  out.heading("Steps");
  out.rows(stepTable(payload), jobs);
  for (const line of jobs.flatMap(errorLines)) out.say(line, "red");
  if (blockers.length > 0) out.heading("Waits for");
  for (const each of blockers) out.say(`  ${each.id}  ${each.typeName}  ${each.status}`, statusStyle(each.status));
  if (dependents.length > 0) out.heading("Is waited for by");
  for (const each of dependents)
    out.say(`  ${each.chainId}  ${each.typeName}  ${each.status}`, statusStyle(each.status));
  if (why !== undefined && chain.status !== "completed") out.heading(why);
}

function factsOf(
  { chain, why }: Known,
  payload: ShowPayload | undefined,
  isForPeople: boolean,
): readonly (readonly [name: string, value: Cell, style?: Style | undefined])[] {
  const tags = Object.entries(chain.tags).map(([name, value]) => `${name}=${value}`);
  return [
    ["chain", chain.id],
    ["type", chain.typeName],
    ["status", chain.status, statusStyle(chain.status)],
    ["started", chain.createdAt],
    ["ended", chain.endedAt],
    ["deadline", chain.deadlineAt],
    ["key", chain.deduplicationKey],
    ["tags", tags.length === 0 ? undefined : tags.join(" ")],
    ["error", errorOf(chain.error), "red"],
    ["reason", chain.reason],
    ["input", payload === undefined ? undefined : toJson(payload(() => chain.input))],
    ["output", payload === undefined || chain.status !== "completed" ? undefined : toJson(payload(() => chain.output))],
    ["why", isForPeople ? undefined : why],
  ];
}
