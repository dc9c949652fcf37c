import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { lockFolder } from "../src/lock.ts";
import { ownIdentity } from "../src/process-identity.ts";
import { temporaryFolder } from "./backend.ts";

const program = fileURLToPath(new URL("fixtures/opener.ts", import.meta.url));
const flags = ["--conditions=@chainwright/source", "--experimental-strip-types", "--no-warnings"];

const withoutSqlite = Promise.resolve(undefined);
/** Node has it without a flag from 22.13 on. */
const hasSqlite = await import("node:sqlite").then(
  () => true,
  () => false,
);
const ways = [
  ["files", "file", withoutSqlite],
  ...(hasSqlite ? ([["SQLite", "sqlite", undefined]] as const) : []),
] as const;

it.each(ways)(
  "one process at a time has a folder, also when those that have it are killed, by a lock of %s",
  { timeout: 120_000 },
  async (_, kind) => {
    const folder = temporaryFolder();
    const said = join(temporaryFolder(), "said");
    const [processes, lives, times] = [3, 2, 6];
    await Promise.all(
      Array.from({ length: processes }, async () => {
        for (let life = 0; life < lives; life += 1) {
          const args = [...flags, program, folder, said, kind, String(times)];
          const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
          expect(await once(child, "close")).toEqual([null, "SIGKILL"]);
        }
      }),
    );
    const lines = readFileSync(said, "utf8").trim().split("\n");
    expect(lines.length).toBe(2 * processes * lives * times);
    // Each that takes it is the next to leave it.
    for (let index = 0; index < lines.length; index += 2)
      expect(lines[index + 1]).toBe(lines[index]?.replace("takes", "leaves"));
  },
);

it.each(ways)("refuses a folder that this process has, and says so, by a lock of %s", async (_, __, sqlite) => {
  const folder = temporaryFolder();
  const lock = await lockFolder(folder, sqlite);
  const second = lockFolder(folder, sqlite);
  await expect(second).rejects.toMatchObject({ code: "store-unavailable", details: { pid: process.pid } });
  lock.release();
  (await lockFolder(folder, sqlite)).release();
  expect(readdirSync(folder).filter((name) => name.startsWith("OWNER"))).toHaveLength(1);
});

it("refuses a folder that a process of the other kind of lock has", async () => {
  for (const [first, second] of [
    [undefined, withoutSqlite],
    [withoutSqlite, undefined],
  ]) {
    const folder = temporaryFolder();
    const lock = await lockFolder(folder, first);
    await expect(lockFolder(folder, second)).rejects.toMatchObject({ code: "store-unavailable" });
    lock.release();
    (await lockFolder(folder, second)).release();
  }
});

const running = await ownIdentity();
const isLinux = process.platform === "linux";

it.skipIf(!isLinux).each([
  ["before the machine started", { bootId: "another" }, true, true],
  ["and whose id another process has now", { startedAt: "1" }, true, true],
  ["of another container, which may run", { pidNamespace: "pid:[1]" }, false, true],
  ["that runs", {}, false, false],
])("takes the folder of a process only if that has ended: one %s", async (_, change, byFile, bySqlite) => {
  for (const [, lock, sqlite] of ways) {
    const folder = temporaryFolder();
    writeFileSync(
      join(folder, "OWNER-7"),
      JSON.stringify({ ...running, lock, inode: statSync(folder).ino, ...change }),
    );
    const isTaken = await lockFolder(folder, sqlite).then(
      (taken) => {
        taken.release();
        return true;
      },
      () => false,
    );
    expect(isTaken).toBe(lock === "file" ? byFile : bySqlite);
  }
});

it("takes a copy of a folder that a process has", async () => {
  const folder = temporaryFolder();
  const copy = join(temporaryFolder(), "copy");
  const lock = await lockFolder(folder, withoutSqlite);
  cpSync(folder, copy, { recursive: true });
  (await lockFolder(copy, withoutSqlite)).release();
  lock.release();
});

it("takes a folder whose last process wrote its name in a power failure", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "OWNER-3"), "\0\0\0");
  (await lockFolder(folder, withoutSqlite)).release();
});
