import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { RecurringSchedule, ScheduleTick } from "chainwright";
import type { Call, Perform } from "../call.ts";
import { limitOf, pagesOf, usualLimit } from "../lists/walk.ts";
import { dryRunFlag, integer, listed, payloadsFlag, redactFlag } from "../options.ts";
import type { Table } from "../output/output.ts";
import { inTransaction } from "../rolled-back.ts";
import type { ErasedClient } from "chainwright/adapter";
import { toJson } from "../text/escape.ts";
import { shownDuration } from "../text/time.ts";
import { tell } from "../told.ts";
import { Refusal } from "../usage-error.ts";
import { payloadsBy, type PayloadFlags, type ShowPayload } from "../views/payload.ts";

interface DryRun {
  readonly dryRun?: true | undefined;
}

export function addSchedules(program: CommandUnknownOpts, perform: Perform): void {
  const schedules = program
    .command("schedules")
    .description("List and show recurring schedules; pause, resume, trigger and delete them.");
  schedules
    .command("list", { isDefault: true })
    .description("List the schedules with their next runs.")
    .option("--type <names>", "only these job types", listed)
    .option("--limit <count>", `at most so many; ${usualLimit} by default`, integer("--limit", 1, 1_000_000_000))
    .option("--all", "all, page by page")
    .action(async (options) => await perform(async (call) => await list(call, options)));
  schedules
    .command("show")
    .description("Show a schedule and its last runs.")
    .argument("<id>")
    .option(...payloadsFlag)
    .option(...redactFlag, listed)
    .action(async (id, options) => await perform(async (call) => await show(call, id, options)));
  const changing = (name: string, past: string, description: string, change: Change) =>
    schedules
      .command(name)
      .description(description)
      .argument("<id>")
      .option(...dryRunFlag)
      .action(
        async (id, options) => await perform(async (call) => await changeOne(call, { id, past, change, options })),
      );
  schedules
    .command("pause")
    .description("Start no more chains by a schedule until it is resumed.")
    .argument("<id>")
    .option("--reason <text>", "shown where the schedule is")
    .option(...dryRunFlag)
    .action(async (id, options) => {
      const change: Change = async (client, tx) =>
        void (await client.pauseSchedule({ id, reason: options.reason, tx }));
      await perform(async (call) => await changeOne(call, { id, past: "paused", change, options }));
    });
  changing(
    "resume",
    "resumed",
    "Resume a paused schedule.",
    async (client, tx, id) => void (await client.resumeSchedule({ id, tx })),
  );
  changing("trigger", "triggered", "Start the chain of a schedule now, besides its times.", async (client, tx, id) => {
    await client.triggerSchedule({ id, tx });
  });
  changing("delete", "deleted", "Delete a schedule; chains that it has started continue.", async (client, tx, id) => {
    await client.deleteSchedule({ id, tx });
  });
}

type Change = (client: ErasedClient, tx: unknown, id: string) => Promise<void>;

const table: Table<RecurringSchedule> = {
  columns: [
    { name: "id", cell: ({ id }) => id, isFlexible: true },
    { name: "type", cell: ({ typeName }) => typeName },
    { name: "times", cell: timesOf },
    { name: "next", cell: ({ nextAt }) => nextAt },
    { name: "last", cell: ({ lastAt }) => lastAt },
    { name: "missed", cell: ({ missedCount }) => missedCount, isNumber: true },
    {
      name: "paused",
      cell: ({ paused, pausedReason }) => (paused ? (pausedReason ?? "yes") : undefined),
      style: () => "yellow",
    },
  ],
  json: (schedule) => scheduleJson(schedule, undefined),
};

function timesOf({ cron, timeZone, everyMs }: RecurringSchedule): string {
  if (everyMs !== undefined) return `every ${shownDuration(everyMs)}`;
  return `${cron ?? ""}${timeZone === undefined ? "" : ` ${timeZone}`}`;
}

function scheduleJson({ input, ...schedule }: RecurringSchedule, payload: ShowPayload | undefined): object {
  return payload === undefined ? schedule : { ...schedule, input: payload(() => input) };
}

const ticks: Table<ScheduleTick> = {
  columns: [
    { name: "run at", cell: ({ at }) => at },
    { name: "chain", cell: ({ chainId }) => chainId, isWhole: true },
    { name: "skipped", cell: ({ reason }) => reason, style: () => "yellow" },
  ],
  json: (tick) => tick,
};

interface ListOptions {
  readonly type?: readonly string[] | undefined;
  readonly limit?: number | undefined;
  readonly all?: true | undefined;
}

async function list({ open, out }: Call, options: ListOptions): Promise<number> {
  const { client } = await open();
  let count = 0;
  for await (const page of pagesOf(
    async (at) => await client.listSchedules({ ...at, typeName: options.type }),
    limitOf(options),
  )) {
    out.rows(table, page);
    count += page.length;
  }
  if (count === 0) out.say("No schedules.", "dim");
  return 0;
}

const shownTicks = 10;

async function show({ open, out }: Call, id: string, options: PayloadFlags): Promise<number> {
  const { client } = await open();
  const payload = await payloadsBy(options);
  const [schedule] = (await client.listSchedules({ ids: [id], limit: 1 })).items;
  if (schedule === undefined) throw new Refusal("schedule-not-found", `there is no schedule ${id}`);
  const { items } = await client.listTicks({ id, limit: shownTicks });
  out.facts(
    [
      ["schedule", schedule.id],
      ["type", schedule.typeName],
      ["times", timesOf(schedule)],
      ["next", schedule.nextAt],
      ["last", schedule.lastAt],
      ["owner", schedule.owner],
      ["paused", schedule.paused ? (schedule.pausedReason ?? "yes") : undefined, "yellow"],
      ["missed", schedule.missedCount],
      ["skipped", schedule.skippedCount],
      ["input", payload === undefined ? undefined : toJson(payload(() => schedule.input))],
    ],
    { ...scheduleJson(schedule, payload), ticks: items },
  );
  if (out.isJson) return 0;
  if (items.length > 0) out.heading("Last runs");
  out.rows(ticks, items);
  return 0;
}

interface ChangeOfSchedule {
  readonly id: string;
  readonly past: string;
  readonly change: Change;
  readonly options: DryRun;
}

async function changeOne(call: Call, { id, past, change, options }: ChangeOfSchedule): Promise<number> {
  const { client } = await call.open();
  await inTransaction(client, options, async (tx) => await change(client, tx, id));
  tell(call, past, [id], options);
  return 0;
}
