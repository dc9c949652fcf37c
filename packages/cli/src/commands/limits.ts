import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { LimitInfo } from "chainwright";
import type { Call, Perform } from "../call.ts";
import { limitOf, pagesOf, usualLimit } from "../lists/walk.ts";
import { dryRunFlag, integer } from "../options.ts";
import type { Table } from "../output/output.ts";
import { inTransaction } from "../rolled-back.ts";
import type { ErasedClient } from "chainwright/adapter";
import { readInteger } from "../text/numbers.ts";
import { readDuration } from "../text/time.ts";
import { tell } from "../told.ts";
import { UsageError } from "../usage-error.ts";

interface Named {
  readonly key?: string | undefined;
  readonly dryRun?: true | undefined;
}

const mostNumber = 1_000_000_000;
const keyOption = ["--key <key>", "only this key of the limit"] as const;

export function addLimits(program: CommandUnknownOpts, perform: Perform): void {
  const limits = program
    .command("limits")
    .description("List limits and their keys; change, reset, pause and resume them.");
  limits
    .command("list", { isDefault: true })
    .description("List limits with their keys, the busiest first.")
    .argument("[limit]", "only this limit")
    .option(...keyOption)
    .option("--limit <count>", `at most so many rows; ${usualLimit} by default`, integer("--limit", 1, mostNumber))
    .option("--all", "all keys, page by page")
    .action(async (limit, options) => await perform(async (call) => await list(call, limit, options)));
  addChanges(limits, perform);
}

function addChanges(limits: CommandUnknownOpts, perform: Perform): void {
  const named = (name: string, description: string) =>
    limits
      .command(name)
      .description(description)
      .argument("<limit>")
      .option(...keyOption)
      .option(...dryRunFlag);
  const doing = async (limit: string, options: Named, past: string, change: Change): Promise<void> =>
    await perform(async (call) => await changeOne(call, { limit, options, past, change }));
  named("change", "Replace the numbers of a limit, or of one of its keys.")
    .option("--concurrency <count>", "so many jobs run at a time", integer("--concurrency", 0, mostNumber))
    .option("--rate <count/duration>", "so many jobs begin in a time, such as 100/1m")
    .action(async (limit, options) => await doing(limit, options, "changed", changeOf(options)));
  named("reset", "Go back to what the code declares.").action(async (limit, options) => {
    await doing(limit, options, "reset", async (client, one) => await client.resetLimit(one));
  });
  named("pause", "Let no job under a limit begin.")
    .option("--for <duration>", "resume by itself after this time")
    .action(async (limit, options) => {
      const forMs = options.for === undefined ? undefined : readDuration(options.for, "--for");
      await doing(limit, options, "paused", async (client, one) => await client.pauseLimit({ ...one, forMs }));
    });
  named("resume", "Let jobs begin again.").action(async (limit, options) => {
    await doing(limit, options, "resumed", async (client, one) => await client.resumeLimit(one));
  });
}

/** A change of the limit, or of the key, that is named. */
type Change = (
  client: ErasedClient,
  one: { readonly limit: string; readonly key: string | undefined; readonly tx: unknown },
) => Promise<void>;

interface Numbers {
  readonly concurrency?: number | undefined;
  readonly rate?: string | undefined;
}

function changeOf({ concurrency, rate }: Numbers): Change {
  if (rate === undefined && concurrency === undefined) throw new UsageError("name --concurrency or --rate");
  const read = rate === undefined ? undefined : readRate(rate);
  return async (client, one) => await client.changeLimit({ ...one, concurrency, rate: read });
}

const table: Table<LimitInfo> = {
  columns: [
    { name: "limit", cell: ({ limit }) => limit },
    { name: "key", cell: ({ key }) => key, isFlexible: true },
    { name: "running", cell: ({ running }) => running, isNumber: true },
    { name: "of", cell: ({ concurrency }) => concurrency, isNumber: true },
    { name: "rate", cell: ({ rate }) => rateText(rate) },
    { name: "waiting", cell: ({ waiting }) => waiting, isNumber: true },
    { name: "opens", cell: ({ opensAt }) => opensAt },
    { name: "state", cell: stateOf, style: (state) => (state === "" ? undefined : "yellow") },
  ],
  json: (limit) => limit,
};

function stateOf({ isPaused, isOverridden, breaker }: LimitInfo): string {
  return [
    ...(isPaused ? ["paused"] : []),
    ...(isOverridden ? ["changed"] : []),
    ...(breaker === undefined ? [] : [`breaker ${breaker.state}`]),
  ].join(", ");
}

function rateText(rate: LimitInfo["rate"]): string | undefined {
  return rate === undefined ? undefined : `${rate.count}/${rate.perMs}ms`;
}

function readRate(text: string): { readonly count: number; readonly perMs: number } {
  const [count = "", duration] = text.split("/", 2);
  if (duration === undefined)
    throw new UsageError(`--rate must be a count and a duration, such as 100/1m; got ${text}`);
  return {
    count: readInteger(count, "--rate", { min: 1, max: 1_000_000_000 }),
    perMs: readDuration(duration, "--rate"),
  };
}

interface ListOptions {
  readonly key?: string | undefined;
  readonly limit?: number | undefined;
  readonly all?: true | undefined;
}

async function list({ open, out }: Call, limit: string | undefined, options: ListOptions): Promise<number> {
  const { client } = await open();
  const { key } = options;
  if (key !== undefined && limit === undefined) throw new UsageError("--key needs the name of the limit");
  let count = 0;
  const read = async ({ limit: pageSize, cursor }: { readonly limit: number; readonly cursor?: string | undefined }) =>
    key === undefined || limit === undefined
      ? await client.listLimits({ limit, pageSize, cursor })
      : await client.listLimits({ limit, key, pageSize });
  for await (const page of pagesOf(read, limitOf(options))) {
    out.rows(table, page);
    count += page.length;
  }
  if (count === 0) out.say("No limits in use.", "dim");
  return 0;
}

interface ChangeOfLimit {
  readonly limit: string;
  readonly options: Named;
  readonly past: string;
  readonly change: Change;
}

async function changeOne(call: Call, { limit, options, past, change }: ChangeOfLimit): Promise<number> {
  const { client } = await call.open();
  await inTransaction(client, options, async (tx) => await change(client, { limit, key: options.key, tx }));
  tell(call, past, [options.key === undefined ? limit : `${limit} ${options.key}`], options);
  return 0;
}
