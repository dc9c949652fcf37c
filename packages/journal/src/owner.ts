import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { link, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { unavailable } from "./errors.ts";
import { isRunning, ownIdentity, type ProcessIdentity } from "./process-identity.ts";

/*
 * The process that has a folder is in the file OWNER-<n> with the highest number; an empty one says that no one has it. A process takes the
 * folder by creating the next number, which only one can. The highest number never gets lower, so a process that was
 * slow sees that it is behind, and tries again.
 */

/** `sqlite`: it also holds a lock of SQLite, which ends with it. */
export type LockKind = "sqlite" | "file";

interface Owner extends ProcessIdentity {
  readonly lock: LockKind;
  /** The number of the folder in its file system. A copy of the folder has another one, and no owner. */
  readonly inode: number;
}

interface Found {
  readonly number: number;
  /** Undefined: no one, or a power failure has taken what was written. */
  readonly owner: Owner | undefined;
}

/** Takes a folder for this process. Returns a function that gives it back. */
export async function takeFolder(folder: string, lock: LockKind): Promise<() => void> {
  const { ino: inode } = await stat(folder);
  const own: Owner = { ...(await ownIdentity()), lock, inode };
  const draft = join(folder, `OWNER.new-${randomUUID()}`);
  try {
    for (;;) {
      const last = await lastOwner(folder);
      if (last.owner !== undefined && (await mayHave(last.owner, own))) throw inUse(folder, last.owner);
      await writeFile(draft, JSON.stringify(own));
      if (!(await isLinked(draft, nameIn(folder, last.number + 1)))) continue;
      if ((await lastOwner(folder)).number === last.number + 1) return await begin(folder, last.number + 1);
      await rm(nameIn(folder, last.number + 1), { force: true });
    }
  } finally {
    await rm(draft, { force: true });
  }
}

/** The error of a folder that another process has. */
export async function inUseError(folder: string): Promise<Error> {
  return inUse(folder, (await lastOwner(folder)).owner);
}

async function lastOwner(folder: string): Promise<Found> {
  const number = Math.max(0, ...(await readdir(folder)).map(numberOf));
  // It may be removed meanwhile, which says that there is a newer one.
  const text = await readFile(nameIn(folder, number), "utf8").catch(() => "");
  return { number, owner: parse(text) };
}

function parse(text: string): Owner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isOwner(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isOwner(value: unknown): value is Owner {
  return typeof value === "object" && value !== null && "pid" in value && "lock" in value && "inode" in value;
}

/** Whoever holds the lock of SQLite knows that no one else does. */
async function mayHave(owner: Owner, own: Owner): Promise<boolean> {
  if (owner.inode !== own.inode) return false;
  return (await isRunning(owner, own)) ?? !(owner.lock === "sqlite" && own.lock === "sqlite");
}

/** Whether a file got a name that none had, with its content at once. */
async function isLinked(file: string, name: string): Promise<boolean> {
  try {
    await link(file, name);
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // The process that was faster has removed what others had prepared.
    if (code === "EEXIST" || code === "ENOENT") return false;
    throw unavailable(`${name} cannot be created, so the folder cannot be locked`, error);
  }
}

async function begin(folder: string, number: number): Promise<() => void> {
  for (const name of await readdir(folder))
    if (name.startsWith("OWNER.new-") || (numberOf(name) > 0 && numberOf(name) < number))
      await rm(join(folder, name), { force: true });
  return () => {
    try {
      writeFileSync(nameIn(folder, number + 1), "", { flag: "wx" });
      rmSync(nameIn(folder, number), { force: true });
    } catch {
      // The disk is full or gone. The end of the process says the same.
    }
  };
}

function nameIn(folder: string, number: number): string {
  return join(folder, `OWNER-${number}`);
}

/** 0: it is another name. */
function numberOf(name: string): number {
  return Number(/^OWNER-(\d{1,15})$/.exec(name)?.[1] ?? 0);
}

function inUse(folder: string, owner: Owner | undefined): Error {
  const who = owner === undefined ? "another process" : `process ${owner.pid}`;
  return unavailable(
    `the journal in ${folder} is open in ${who}, and one process at a time can use it: stop that one first, or use the store in it (the ` +
      `dashboard and the gateway can be mounted there). verifyJournal and dumpJournal read the folder meanwhile. If that process was one ` +
      `of another container that has ended, delete the files OWNER-* in the folder.`,
    undefined,
    { folder, ...(owner === undefined ? {} : { pid: owner.pid }) },
  );
}
