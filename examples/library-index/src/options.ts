import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { showPath } from "./show-path.ts";

export interface Options {
  readonly store: "sqlite" | "journal";
  /** Undefined: the folder of an unfinished earlier run, or else this repository. */
  readonly folder: string | undefined;
  /** Undefined: a new database in a temporary folder. */
  readonly database: string | undefined;
  readonly keep: boolean;
  readonly chunkBytes: number;
}

/** The parsed options, or a message and an exit code instead. */
export type Asked = { readonly options: Options } | { readonly say: string; readonly exitCode: number };

export const repository = fileURLToPath(new URL("../../../", import.meta.url));

const help = `Indexes every file of a folder with a durable chain for each file, on SQLite. Half-way the worker process is killed
with SIGKILL and another one continues. At the end every digest and every effect is checked.

  npm run demo -- [folder] [options]

  folder               the folder to index (default: this repository), without node_modules, .git and the database of
                       the run. Symbolic links, sockets, pipes and devices are reported and not followed.
  --database FILE      keep the chains in FILE. If an earlier run there did not finish, continue it.
  --store journal      without a database: the chains are in a journal, and so in one process with their worker. All of it
                       is killed, twice, and the next one opens the folder. (default: sqlite)
  --keep               keep the database at the end, and show how to read it
  --chunk-bytes N      how much of a file one step reads (default: 65536)
  --help               show this text

Exit status 0: all work was done exactly once. 1: it was not, or an error occurred. 2: the command line is invalid.`;

const largestChunk = 64 * 1024 * 1024;

/** @param from the folder that relative paths start at. */
export function readOptions(args: readonly string[], from: string): Asked {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        database: { type: "string" },
        keep: { type: "boolean", default: false },
        store: { type: "string", default: "sqlite" },
        "chunk-bytes": { type: "string", default: "65536" },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help) return { say: help, exitCode: 0 };
    if (positionals.length > 1) return misunderstood(`name at most one folder; got ${positionals.length}`);
    const { store } = values;
    if (store !== "sqlite" && store !== "journal")
      return misunderstood(`--store must be sqlite or journal; got ${store}`);
    if (store === "journal" && values.database !== undefined)
      return misunderstood("--database is a file of SQLite: leave it out with --store journal");
    const chunkBytes = Number(values["chunk-bytes"]);
    if (!Number.isInteger(chunkBytes) || chunkBytes < 1 || chunkBytes > largestChunk) {
      return misunderstood(`--chunk-bytes must be an integer from 1 to ${largestChunk}; got ${values["chunk-bytes"]}`);
    }
    const [given] = positionals;
    const folder = given === undefined ? undefined : resolve(from, given);
    const database = values.database === undefined ? undefined : resolve(from, values.database);
    const complaint = complainAboutFolder(folder) ?? complainAboutDatabase(database);
    if (complaint !== undefined) return { say: complaint, exitCode: 1 };
    return {
      options: {
        store,
        folder: folder === undefined ? undefined : realpathSync(folder),
        database: database === undefined ? undefined : join(realpathSync(dirname(database)), basename(database)),
        keep: values.keep,
        chunkBytes,
      },
    };
  } catch (error) {
    return misunderstood(error instanceof Error ? error.message : String(error));
  }
}

function misunderstood(reason: string): Asked {
  return { say: `${reason}\n\nRun npm run demo -- --help for the options.`, exitCode: 2 };
}

function complainAboutFolder(folder: string | undefined): string | undefined {
  if (folder === undefined) return undefined;
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return `There is no folder ${showPath(folder)}.`;
  return stat.isDirectory() ? undefined : `${showPath(folder)} is not a folder.`;
}

function complainAboutDatabase(database: string | undefined): string | undefined {
  if (database === undefined) return undefined;
  if (statSync(database, { throwIfNoEntry: false })?.isDirectory())
    return `${showPath(database)} is a folder, not a database.`;
  const parent = statSync(dirname(database), { throwIfNoEntry: false });
  return parent?.isDirectory() ? undefined : `There is no folder ${showPath(dirname(database))} for the database.`;
}
