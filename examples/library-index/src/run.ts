import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { startOrResume, stateOfReport } from "./chain.ts";
import { checkDigests } from "./check-digests.ts";
import { checkEffects } from "./check-effects.ts";
import { openDatabase, type LibraryClient } from "./database.ts";
import { createEffectTable } from "./effects.ts";
import { repository, type Options } from "./options.ts";
import { createProgress } from "./progress.ts";
import { showPath } from "./show-path.ts";
import { describeChecks, describeReport, figuresTable } from "./summary.ts";
import { work } from "./work.ts";

/** Runs the whole demo. Resolves with whether all checks passed; rejects if it failed or was interrupted. */
export async function run(options: Options, signal: AbortSignal): Promise<boolean> {
  const file = options.database ?? join(mkdtempSync(join(realpathSync(tmpdir()), "chainwright-demo-")), "library.db");
  console.log(`Database: ${showPath(file)}`);
  const right = await runOn(file, options, signal);
  if (options.keep || options.database !== undefined || !right) printHowToLook(file);
  else rmSync(dirname(file), { recursive: true });
  return right;
}

async function runOn(file: string, options: Options, signal: AbortSignal): Promise<boolean> {
  const { stateAdapter, client } = openDatabase(file);
  const database = new Database(file);
  try {
    await stateAdapter.migrate();
    createEffectTable(database);
    return await indexAndCheck({ file, client, database }, options, signal);
  } finally {
    database.close();
    await client.close();
    await stateAdapter.close();
  }
}

interface Opened {
  readonly file: string;
  readonly client: LibraryClient;
  /** The demo's own connection, for its own table. */
  readonly database: Database.Database;
}

async function indexAndCheck({ file, client, database }: Opened, options: Options, signal: AbortSignal) {
  const isTerminal = process.stdout.isTTY;
  const chain = await startOrResume(client, {
    folder: options.folder,
    otherwise: realpathSync(repository),
    chunkBytes: options.chunkBytes,
    leaveOut: [file, `${file}-wal`, `${file}-shm`],
  });
  console.log(`${chain.resumed ? "Continuing with" : "Indexing"} ${showPath(chain.folder)}`);
  try {
    const beganAt = new Date();
    const done = await work({
      client,
      chain,
      database: file,
      progress: createProgress("files", isTerminal),
      merging: createProgress("entries merged", isTerminal),
      signal,
    });
    const workMs = Date.now() - beganAt.getTime();
    const { report } = done;
    if (done.wentOnAt !== undefined) {
      console.log(
        `The report went on from its checkpoint: ${done.wentOnAt} of ${report.files} entries were merged before.`,
      );
    }
    console.log(`\n${describeReport(report).join("\n")}\n`);

    const progress = createProgress("digests checked", isTerminal);
    const digests = await checkDigests(client, {
      reportJobId: (await stateOfReport(client, chain.id))?.jobId ?? "",
      folder: chain.folder,
      onChecked: (files) => progress.update(files, report.files),
      signal,
    });
    progress.end();
    const effects = await checkEffects(client, database, { startedAt: chain.startedAt, beganAt });

    console.log(figuresTable({ ...done, effects, workMs }));
    const { lines, right } = describeChecks(report, digests, effects);
    console.log(lines.join("\n"));
    return right;
  } catch (error) {
    console.log(`\nThe database is kept. To continue: npm run demo -- --database ${quoted(file)}`);
    throw error;
  }
}

function printHowToLook(file: string): void {
  const sql =
    "select type_name, status, count(*) as jobs, sum(attempt) as attempts from chainwright_job group by type_name, status";
  const script =
    "console.table(new (require('node:sqlite').DatabaseSync)(process.argv[1]).prepare(process.argv[2]).all())";
  console.log(`
The database is kept: ${showPath(file)}
To read it:     sqlite3 -box ${quoted(file)} ${quoted(sql)}
or with Node:   node -e "${script}" ${quoted(file)} ${quoted(sql)}
The table chainwright_job contains the chains and jobs; the table effect contains what the steps wrote.`);
}

/** Quotes a text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
