import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Call, Perform } from "../call.ts";
import { dryRunFlag } from "../options.ts";
import type { OpenedStore } from "../store/open-store.ts";
import { grantsFor } from "../store/grants.ts";
import { toJson } from "../text/escape.ts";
import { counted } from "../text/numbers.ts";
import { shownDuration } from "../text/time.ts";
import { UsageError } from "../usage-error.ts";

interface Options {
  readonly contract?: true | undefined;
  readonly dryRun?: true | undefined;
  readonly role?: string | undefined;
}

export function addMigrate(program: CommandUnknownOpts, perform: Perform): void {
  program
    .command("migrate")
    .description("Create or update the tables of the store.")
    .option("--contract", "also remove what only older versions of the library use")
    .option("--role <name>", "also print the rights that the application's role needs (Postgres)")
    .option(dryRunFlag[0], "print the SQL, whole, and run nothing")
    .action(async (options) => await perform(async (call) => await migrate(call, options)));
}

async function migrate(call: Call, options: Options): Promise<number> {
  const store = await call.open({ creates: options.dryRun === true ? "in memory" : "the file" });
  const grants = grantsOf(store, options.role);
  if (options.dryRun === true) await printPlan(call, store, options);
  else await apply(call, store, options);
  for (const sql of grants) printSql(call, sql);
  return 0;
}

async function printPlan(call: Call, { stateAdapter }: OpenedStore, { contract }: Options): Promise<void> {
  for (const sql of await stateAdapter.migrate({ dryRun: true, contract })) printSql(call, sql);
}

/** SQL is for a review and for psql: it keeps its lines. */
function printSql({ out, surroundings }: Call, sql: string): void {
  surroundings.print(out.isJson ? `${toJson({ sql })}\n` : `${sql.trim().replace(/;?$/, ";")}\n\n`);
}

async function apply({ out }: Call, store: OpenedStore, { contract }: Options): Promise<void> {
  const begun = performance.now();
  const statements = await store.stateAdapter.migrate({ contract });
  const tookMs = Math.round(performance.now() - begun);
  const { version } = await store.stateAdapter.schema();
  for (const sql of statements) out.say(firstLine(sql), "dim");
  const done =
    statements.length === 0
      ? `${store.name}: up to date, schema version ${version}`
      : `${store.name}: migrated to schema version ${version}, ${counted(statements.length, "statement")} in ${shownDuration(tookMs)}`;
  out.line(done, { version, statements: statements.length, tookMs });
}

function firstLine(sql: string): string {
  const [first = ""] = sql.trim().split("\n");
  return `  ${first}`;
}

function grantsOf({ source }: OpenedStore, role: string | undefined): readonly string[] {
  if (role === undefined) return [];
  if (source?.kind !== "postgres") throw new UsageError("--role is for a Postgres store that a URL names");
  return grantsFor(source.schema, role);
}
