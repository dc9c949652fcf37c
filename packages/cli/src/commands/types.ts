import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { JobCounts, PausedTypeInfo } from "chainwright";
import type { Call, Perform } from "../call.ts";
import { dryRunFlag } from "../options.ts";
import type { Table } from "../output/output.ts";
import { inTransaction } from "../rolled-back.ts";
import { tell } from "../told.ts";
import { Refusal, UsageError } from "../usage-error.ts";
import { readDuration } from "../text/time.ts";

export function addTypes(program: CommandUnknownOpts, perform: Perform): void {
  const types = program
    .command("types")
    .description("List the job types of the store with the numbers of their jobs; pause and resume them.");
  types
    .command("list", { isDefault: true })
    .description("List the job types with the numbers of their jobs and live workers.")
    .option("--schema <name>", "print the JSON Schemas of this type instead, as the configuration declares them")
    .action(async ({ schema }) => {
      await perform(async (call) => await (schema === undefined ? list(call) : printSchemas(call, schema)));
    });
  types
    .command("pause")
    .description("Pause job types: no worker claims their jobs until they are resumed.")
    .argument("<types...>")
    .option("--for <duration>", "resume by itself after this time")
    .option("--reason <text>", "shown where the pause is")
    .option("--by <name>", "who pauses")
    .option(...dryRunFlag)
    .action(async (typeNames, options) => await perform(async (call) => await pause(call, typeNames, options)));
  types
    .command("resume")
    .description("Resume paused job types.")
    .argument("<types...>")
    .option(...dryRunFlag)
    .action(async (typeNames, options) => await perform(async (call) => await resume(call, typeNames, options)));
}

interface TypeRow {
  readonly typeName: string;
  readonly counts: JobCounts | undefined;
  readonly workers: number;
  readonly paused: PausedTypeInfo | undefined;
}

const open = ({ counts }: TypeRow, ...statuses: readonly ("blocked" | "waiting" | "scheduled")[]): number =>
  statuses.reduce((sum, status) => sum + (counts?.[status] ?? 0), 0);

const table: Table<TypeRow> = {
  columns: [
    { name: "type", cell: ({ typeName }) => typeName, isFlexible: true },
    { name: "ready", cell: ({ counts }) => counts?.ready ?? 0, isNumber: true },
    { name: "running", cell: ({ counts }) => counts?.running ?? 0, isNumber: true },
    { name: "later", cell: (row) => open(row, "blocked", "waiting", "scheduled"), isNumber: true },
    {
      name: "failed",
      cell: ({ counts }) => counts?.failed ?? 0,
      isNumber: true,
      style: (cell) => (cell.trim() === "0" ? undefined : "red"),
    },
    { name: "done", cell: ({ counts }) => counts?.completed ?? 0, isNumber: true },
    {
      name: "oldest",
      cell: ({ counts }) => (counts?.oldestReadyMs === undefined ? undefined : { ms: counts.oldestReadyMs }),
      isNumber: true,
    },
    { name: "workers", cell: ({ workers }) => workers, isNumber: true },
    {
      name: "paused",
      cell: ({ paused }) => (paused === undefined ? undefined : pausedText(paused)),
      isFlexible: true,
      style: () => "yellow",
    },
  ],
  json: ({ typeName, counts, workers, paused }) => ({ typeName, ...counts, workers, paused }),
};

function pausedText({ reason, by }: PausedTypeInfo): string {
  return ["yes", ...(reason === undefined ? [] : [reason]), ...(by === undefined ? [] : [`by ${by}`])].join(", ");
}

async function list(call: Call): Promise<number> {
  const { client } = await call.open();
  const counts = await client.countJobs();
  const workers = await client.listWorkers();
  const paused = new Map((await client.listPausedTypes()).map((each) => [each.typeName, each]));
  const names = new Set([...Object.keys(counts), ...workers.flatMap(({ typeNames }) => typeNames), ...paused.keys()]);
  const rows = [...names].toSorted().map((typeName): TypeRow => {
    const alive = workers.filter(({ typeNames }) => typeNames.includes(typeName)).length;
    return { typeName, counts: counts[typeName], workers: alive, paused: paused.get(typeName) };
  });
  call.out.rows(table, rows);
  if (rows.length === 0) call.out.say("No job types yet.", "dim");
  return 0;
}

async function printSchemas(call: Call, typeName: string): Promise<number> {
  const { config } = await call.open();
  if (config === undefined)
    throw new UsageError("--schema reads code: it needs --config FILE, or a chainwright.config.ts here, with client");
  const [{ definitionsOf }, { jsonSchemaOf }] = await Promise.all([
    import("chainwright/remote"),
    import("@chainwright/gateway"),
  ]);
  const definition = definitionsOf(config.client).get(typeName);
  if (definition === undefined)
    throw new Refusal("no-schema", `the configuration declares no schemas for ${typeName}, or not this job type`);
  const schemas = {
    typeName,
    input: jsonSchemaOf(definition.input, "input"),
    output: jsonSchemaOf(definition.output, "output"),
  };
  call.out.line(JSON.stringify(schemas), schemas);
  return 0;
}

interface PauseOptions {
  readonly for?: string | undefined;
  readonly reason?: string | undefined;
  readonly by?: string | undefined;
  readonly dryRun?: true | undefined;
}

async function pause(call: Call, typeNames: readonly string[], options: PauseOptions): Promise<number> {
  const { client } = await call.open();
  const { reason, by } = options;
  const forMs = options.for === undefined ? undefined : readDuration(options.for, "--for");
  await inTransaction(client, options, async (tx) => await client.pauseJobTypes({ typeNames, reason, by, forMs, tx }));
  tell(call, "paused", typeNames, options);
  return 0;
}

async function resume(
  call: Call,
  typeNames: readonly string[],
  options: { readonly dryRun?: true | undefined },
): Promise<number> {
  const { client } = await call.open();
  await inTransaction(client, options, async (tx) => await client.resumeJobTypes({ typeNames, tx }));
  tell(call, "resumed", typeNames, options);
  return 0;
}
