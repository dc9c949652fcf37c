import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { unavailable } from "./errors.ts";
import { inUseError, takeFolder } from "./owner.ts";

/** Held as long as the store is open. */
export interface Lock {
  release(): void;
}

interface Sqlite {
  readonly DatabaseSync: new (path: string) => { exec(text: string): void; close(): void };
}

const lockName = "LOCK";
const sqliteBusy = 5;

/**
 * Locks a folder for this process. A lock of SQLite ends with the process and counts in all containers of a machine. Besides, and where
 * Node has no SQLite, a file names the process: it has the folder until it ends.
 *
 * @param sqlite Undefined: there is none.
 */
export async function lockFolder(folder: string, sqlite: Promise<Sqlite | undefined> = findSqlite()): Promise<Lock> {
  await refuseNetwork(folder);
  const known = await sqlite;
  const unlock = known === undefined ? () => {} : await lockBySqlite(folder, known);
  try {
    const giveBack = await takeFolder(folder, known === undefined ? "file" : "sqlite");
    return {
      release: () => {
        giveBack();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Without a flag from Node 22.13 on. */
async function findSqlite(): Promise<Sqlite | undefined> {
  return import("node:sqlite").catch(() => undefined);
}

async function lockBySqlite(folder: string, { DatabaseSync }: Sqlite): Promise<() => void> {
  const database = new DatabaseSync(join(folder, lockName));
  try {
    database.exec("pragma locking_mode = exclusive; pragma journal_mode = off; begin exclusive");
  } catch (error) {
    database.close();
    const isBusy = error instanceof Error && "errcode" in error && error.errcode === sqliteBusy;
    throw isBusy ? await inUseError(folder) : unavailable(`the journal in ${folder} cannot be locked`, error);
  }
  return () => {
    database.close();
  };
}

/** The types of NFS, SMB and CIFS file systems, as Linux tells them. */
const networkTypes = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42]);

/** Locks and syncs of a network folder cannot be relied on. */
async function refuseNetwork(folder: string): Promise<void> {
  if (process.platform !== "linux") return;
  const { type } = await statfs(folder);
  if (networkTypes.has(type >>> 0))
    throw unavailable(
      `${folder} is on a network file system, where a journal is not safe; choose a folder of a local disk`,
    );
}
