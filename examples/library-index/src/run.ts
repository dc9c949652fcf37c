import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { startOrResume, stateOfReport } from "./chain.ts";
import { checkDigests } from "./check-digests.ts";
import { checkEffects } from "./check-effects.ts";
import { openDatabase } from "./database.ts";
import { createEffectTable } from "./effects.ts";
import { repository } from "./options.ts";
import type { Options } from "./options.ts";
import { createProgress } from "./progress.ts";
import { showPath } from "./show-path.ts";
import { describeChecks, describeReport, figuresTable } from "./summary.ts";
import { work } from "./work.ts";

/** The whole demo. Answers whether everything was right; rejects when it could not be done, or was interrupted. */
export async function run(options: Options, signal: AbortSignal): Promise<boolean> {
  const file = options.database ?? join(mkdtempSync(join(realpathSync(tmpdir()), "chainwright-demo-")), "library.db");
  console.log(`Database: ${showPath(file)}`);
  try {
    const right = await runOn(file, options, signal);
    if (options.keep || options.database !== undefined || !right) tellHowToLook(file);
    else rmSync(dirname(file), { recursive: true });
    return right;
  } catch (error) {
    console.log(`\nThe database is kept. To go on where it was: npm run demo -- --database ${quoted(file)}`);
    throw error;
  }
}

async function runOn(file: string, options: Options, signal: AbortSignal): Promise<boolean> {
  const isTerminal = process.stdout.isTTY;
  const { stateAdapter, client } = openDatabase(file);
  const database = new Database(file);
  try {
    await stateAdapter.migrate();
    createEffectTable(database);
    const leaveOut = [file, `${file}-wal`, `${file}-shm`];
    const { folder, chunkBytes } = options;
    const chain = await startOrResume(client, { folder, otherwise: realpathSync(repository), chunkBytes, leaveOut });
    console.log(`${chain.resumed ? "Going on with" : "Indexing"} ${showPath(chain.folder)}`);

    const beganAt = new Date();
    const progress = createProgress("files", isTerminal);
    const { report, killed, workerMemory } = await work({ client, chain, database: file, progress, signal });
    const workMs = Date.now() - beganAt.getTime();
    console.log(`\n${describeReport(report).join("\n")}\n`);

    const checking = createProgress("digests checked", isTerminal);
    const reportJob = await stateOfReport(client, chain.id);
    const digests = await checkDigests(client, {
      reportJobId: reportJob?.jobId ?? "",
      folder: chain.folder,
      onChecked: (files) => checking.update(files, report.files),
      signal,
    });
    checking.end();
    const effects = await checkEffects(client, database, { startedAt: chain.startedAt, beganAt });

    console.log(figuresTable({ report, effects, workMs, killed, workerMemory }));
    const { lines, right } = describeChecks(report, digests, effects);
    console.log(lines.join("\n"));
    return right;
  } finally {
    database.close();
    await client.close();
    await stateAdapter.close();
  }
}

function tellHowToLook(file: string): void {
  const sql =
    "select type, status, count(*) as jobs, sum(attempt) as attempts from chainwright_job group by type, status";
  const script = `console.table(new (require("node:sqlite").DatabaseSync)(process.argv[1]).prepare(process.argv[2]).all())`;
  console.log(`
The database is kept: ${showPath(file)}
To look at it:  sqlite3 -box ${quoted(file)} ${quoted(sql)}
or with Node:   node -e ${quoted(script)} ${quoted(file)} ${quoted(sql)}
The effects are in the table "effect", the chains and jobs in "chainwright_job".`);
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
