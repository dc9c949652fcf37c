import type { OpenedStore } from "../store/open-store.ts";
import { counted } from "../text/numbers.ts";
import { failureOf } from "../failure.ts";
import { Refusal } from "../usage-error.ts";
import { diagnoseJournal } from "./diagnose-journal.ts";
import { diagnosePostgres } from "./diagnose-postgres.ts";
import { diagnoseSqlite } from "./diagnose-sqlite.ts";
import { green, red, yellow, type Finding } from "./finding.ts";

const [manyWorkers, fewSlots] = [50, 5];

/** Looks at what is under the store, and at its workers. Changes nothing. */
export async function diagnose(store: OpenedStore, options: { readonly isDeep: boolean }): Promise<readonly Finding[]> {
  return [
    ...(await diagnoseBelow(store, options)),
    ...(await readable("pooler", async () => await poolerOf(store))),
    ...(await readable("schema", async () => [await schemaOf(store)])),
    ...(await readable("workers", async () => await workersOf(store))),
  ];
}

async function diagnoseBelow(
  { source, query }: OpenedStore,
  options: { readonly isDeep: boolean },
): Promise<readonly Finding[]> {
  switch (source?.kind) {
    case "sqlite":
      return await diagnoseSqlite(source.file, options);
    case "journal":
      return await diagnoseJournal(source.journal, options);
    case "postgres":
      return query === undefined ? [] : await diagnosePostgres(query, source.schema ?? "chainwright");
    case undefined:
      return [];
  }
}

async function poolerOf({ isPooled }: OpenedStore): Promise<readonly Finding[]> {
  if (isPooled === undefined || !(await isPooled())) return [];
  return [
    green(
      "pooler",
      "one is in front of the server: if it pools transactions, a notify adapter that listens needs direct connections",
    ),
  ];
}

/** What cannot be read is a finding, so that those about its reason are told as well. */
export async function readable(check: string, read: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Refusal) throw error;
    return [
      red(
        check,
        `the store cannot be read: ${failureOf(error, []).message}`,
        "look at the other findings, or at the log of the server",
      ),
    ];
  }
}

/** Without the tables of this version nothing else can be read. */
async function schemaOf({ stateAdapter }: OpenedStore): Promise<Finding> {
  const { version, newest, compatibleFrom, contractPending } = await stateAdapter.schema();
  if (version === 0) throw new Refusal("not-migrated", "the store has no tables: run `chainwright migrate`");
  if (version < newest)
    throw new Refusal(
      "not-migrated",
      `the store has schema version ${version}, and version ${newest} is needed: run \`chainwright migrate\``,
    );
  if (compatibleFrom > newest)
    throw new Refusal(
      "schema-too-new",
      `the store can be used by version ${compatibleFrom} and newer; this program knows ${newest}: install a newer @chainwright/cli`,
    );
  if (!contractPending) return green("schema", `version ${version}`);
  return green("schema", `version ${version}; \`chainwright migrate --contract\` can remove what older versions used`);
}

async function workersOf({ client }: OpenedStore): Promise<readonly Finding[]> {
  const queued = await client.countQueuedJobs();
  const workers = await client.listWorkers();
  const slots = workers.reduce((sum, { concurrency }) => sum + concurrency, 0);
  const found = queued
    .filter((each) => each.ready > 0 && each.workers === 0)
    .map(({ typeName, ready, pool, version }) => {
      const which = `${pool === undefined ? "" : ` in pool ${pool}`}${version === 1 ? "" : ` of version ${version}`}`;
      return yellow(
        "workers",
        `${counted(ready, "ready job")} of ${typeName}${which} and no live worker for them`,
        "start a worker that handles the type",
      );
    });
  if (workers.length > manyWorkers && slots < fewSlots * workers.length)
    found.push(
      yellow(
        "workers",
        `${workers.length} workers have ${slots} slots together`,
        "run fewer processes with a larger concurrency",
      ),
    );
  return found;
}
