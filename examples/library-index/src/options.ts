import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { showPath } from "./show-path.ts";

export interface Options {
  /** Undefined: what an earlier run left unfinished, or else this repository. */
  readonly folder: string | undefined;
  /** Undefined: a new one in a temporary folder. */
  readonly database: string | undefined;
  readonly keep: boolean;
  readonly chunkBytes: number;
}

/** What was asked for, or what to say instead of doing it. */
export type Asked = { readonly options: Options } | { readonly say: string; readonly exitCode: number };

export const repository = fileURLToPath(new URL("../../../", import.meta.url));

const help = `Indexes every file of a folder: a durable chain for each file, on SQLite. Half-way the worker process is killed with
SIGKILL and another one goes on; at the end every digest and every effect is checked.

  npm run demo -- [folder] [options]

  folder               what to index; this repository, unless given. Left out: node_modules, .git and the run's own
                       database. Symbolic links, sockets, pipes and devices are told and not followed.
  --database FILE      keep the chains in FILE. If an earlier run there did not end, go on where it was.
  --keep               do not delete the database at the end, and say how to look at it
  --chunk-bytes N      how much of a file one step reads (65536)
  --help               this text

Exit status 0: everything was done, and done once. 1: it was not, or could not be. 2: the command was not understood.`;

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
        "chunk-bytes": { type: "string", default: "65536" },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help) return { say: help, exitCode: 0 };
    if (positionals.length > 1) return misunderstood(`one folder, please, not ${positionals.length}`);
    const chunkBytes = Number(values["chunk-bytes"]);
    if (!Number.isInteger(chunkBytes) || chunkBytes < 1 || chunkBytes > largestChunk) {
      return misunderstood(`--chunk-bytes is a whole number from 1 to ${largestChunk}`);
    }
    const [given] = positionals;
    const folder = given === undefined ? undefined : resolve(from, given);
    const database = values.database === undefined ? undefined : resolve(from, values.database);
    const complaint = complainAboutFolder(folder) ?? complainAboutDatabase(database);
    if (complaint !== undefined) return { say: complaint, exitCode: 1 };
    return {
      options: {
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
  return { say: `${reason}\n\nnpm run demo -- --help tells what there is.`, exitCode: 2 };
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
