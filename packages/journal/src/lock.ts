import { readFile, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { unavailable } from "./errors.ts";

/** Held as long as the store is open. */
export interface Lock {
  release(): void;
}

const lockName = "LOCK";
/** The process that has the lock. The lock itself cannot be read while it is held. */
const ownerName = "OWNER";

/**
 * Locks a folder for this process: by an exclusive lock of SQLite, which ends with the process and counts in all containers of a machine. A
 * file with the id of a process would do neither.
 */
export async function lockFolder(folder: string): Promise<Lock> {
  await refuseNetwork(folder);
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(join(folder, lockName));
  try {
    database.exec("pragma locking_mode = exclusive; pragma journal_mode = off; begin exclusive");
  } catch (error) {
    database.close();
    const owner = await readFile(join(folder, ownerName), "utf8").catch(() => "an unknown process");
    throw unavailable(
      `the journal in ${folder} is open in ${owner}, and one process at a time can use it: stop that one first, or use the store in ` +
        `it (the dashboard and the gateway can be mounted there). verifyJournal and dumpJournal read the folder meanwhile.`,
      error,
      {
        folder,
      },
    );
  }
  await writeFile(join(folder, ownerName), `process ${process.pid}`);
  return {
    release: () => {
      database.close();
    },
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
