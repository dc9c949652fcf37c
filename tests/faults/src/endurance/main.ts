/** Conditions that make databases slow for a long time, with limits. */
import { parseArgs } from "node:util";
import { openMigratedPostgres } from "./migrated-postgres.ts";
import { openMigratedSqlite } from "./migrated-sqlite.ts";
import { migrationLengths, runMigrationTest } from "./migration-test.ts";
import { runSnapshotTest, snapshotLengths } from "./snapshot-test.ts";
import { runWorkersTest, workersLengths } from "./workers-test.ts";

const usage = `Usage: npm run test:endurance -- [options] [test]...

Runs these tests on Postgres servers of their own and the last one on SQLite, and checks that limits are kept. Ends with status 1 if one is exceeded.
Without --against sources, run \`npm run build\` first.

  snapshot   jobs are started at a fixed rate while a transaction keeps an old snapshot open
  workers    200 workers with one slot and one connection each, compared with one worker that has 50 slots
  migration  the store of the last release is migrated while 100 of its workers exchange
  migration-sqlite
             the same on SQLite

In the short tests the limits are counts of pages and rows, so that a slow machine does not exceed them. With --full the limits are
times as well, so the machine must be quiet; it takes about 80 minutes.

  --full                an hour, 1,000 jobs a second, 10,000,000 rows of history, 100,000 open jobs for the migration; a minute for
                        each of the teams of workers
  --against <what>      build or sources; build unless given
  --minutes <n>         how long the snapshot is held
  --rate <n>            jobs a second while the snapshot is held
  --history <n>         rows of ended jobs before the test
  --data <folder>       keeps the data of the server of \`snapshot\` or \`migration\` in this folder; if it has jobs, none are added.
                        The store of \`migration\` must be one of the last release
  -h, --help            print this text and end
`;

const names = ["snapshot", "workers", "migration", "migration-sqlite"] as const;
type Name = (typeof names)[number];

function numberOf(option: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && number > 0) return number;
  throw new TypeError(`--${option} must be a number above 0; got ${text}`);
}

function nameOf(text: string): Name {
  const found = names.find((each) => each === text);
  if (found !== undefined) return found;
  throw new TypeError(`a test must be one of ${names.join(", ")}; got ${text}`);
}

function read() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      full: { type: "boolean", default: false },
      against: { type: "string", default: "build" },
      minutes: { type: "string" },
      rate: { type: "string" },
      history: { type: "string" },
      data: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return "help";
  const { against, minutes, rate, history } = values;
  if (against !== "build" && against !== "sources") {
    throw new TypeError(`--against must be build or sources; got ${against}`);
  }
  const length = values.full ? "full" : "short";
  return {
    against,
    tests: positionals.length === 0 ? names : positionals.map(nameOf),
    snapshot: {
      ...snapshotLengths[length],
      ...(minutes !== undefined && { heldMs: 60_000 * numberOf("minutes", minutes) }),
      ...(rate !== undefined && { rate: numberOf("rate", rate) }),
      ...(history !== undefined && { historyRows: numberOf("history", history) }),
      dataDir: values.data,
    },
    workers: workersLengths[length],
    migration: {
      ...migrationLengths[length],
      ...(history !== undefined && { historyRows: numberOf("history", history) }),
      dataDir: values.data,
    },
  } as const;
}

function readOrExplain() {
  try {
    return read();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return undefined;
  }
}

const log = (line: string): void => void process.stdout.write(`${line}\n`);

async function run({
  tests,
  against,
  snapshot,
  workers,
  migration,
}: Exclude<ReturnType<typeof read>, "help">): Promise<boolean> {
  const runs = {
    snapshot: () => runSnapshotTest({ ...snapshot, log }),
    workers: () => runWorkersTest({ ...workers, against, log }),
    migration: () => runMigrationTest(openMigratedPostgres, { ...migration, against, log }),
    "migration-sqlite": () => runMigrationTest(openMigratedSqlite, { ...migration, against, log }),
  } satisfies Record<Name, () => Promise<readonly string[]>>;
  let isKept = true;
  for (const test of tests) {
    log(`\n${test}`);
    const exceeded = await runs[test]();
    for (const each of exceeded) log(`  EXCEEDED: ${each}`);
    log(exceeded.length === 0 ? "  withstood" : "  NOT withstood");
    isKept &&= exceeded.length === 0;
  }
  return isKept;
}

const options = readOrExplain();
if (options === "help") process.stdout.write(usage);
else if (options === undefined) process.exitCode = 2;
else process.exitCode = (await run(options)) ? 0 : 1;
