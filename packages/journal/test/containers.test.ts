import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { createJournalStateAdapter } from "../src/index.ts";
import { temporaryFolder } from "./backend.ts";

/*
 * Two containers with one folder: processes that do not see each other's ids, so that each has the id 1, with the same host name and with
 * another one.
 */
const program = fileURLToPath(new URL("fixtures/holder.ts", import.meta.url));
const flags = ["--conditions=@chainwright/source", "--experimental-strip-types", "--no-warnings"];

const alone = ["--pid", "--fork", "--kill-child", "--mount-proc", "--uts"];
/** A user without rights needs a space in which it has them. */
const kinds = [alone, ["--user", "--map-root-user", ...alone]];
const unshare = kinds.find((options) => spawnSync("unshare", [...options, "hostname", "a"]).status === 0);
const hasSqlite = await import("node:sqlite").then(
  () => true,
  () => false,
);
const whyNot =
  unshare === undefined
    ? "`unshare` gives no process ids and no host name of its own here, which needs Linux and the rights for it"
    : "Node has no node:sqlite, without which containers see no more of each other than a file";

/** Begins a process that takes the folder. Returns what it says, and ends it. */
async function takeFolder(folder: string, hostName: string) {
  const inside = ["sh", "-c", 'hostname "$0" && exec "$@"', hostName, process.execPath, ...flags, program, folder];
  const child = spawn("unshare", [...(unshare ?? []), ...inside], { stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(child, "close");
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await closed;
  };
  onTestFinished(kill);
  const said = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
  return { said: String(said.value), kill };
}

it.for<readonly [string, string, string]>([
  ["the same host name", "one", "one"],
  ["another host name", "one", "two"],
])(
  "one container at a time has a folder, and another one gets it when the first is killed: with %s",
  { timeout: 120_000 },
  async ([, first, second], { skip }) => {
    skip(unshare === undefined || !hasSqlite, whyNot);
    const folder = temporaryFolder();
    const holder = await takeFolder(folder, first);
    expect(holder.said).toBe(`holds 1 on ${first}`);
    expect((await takeFolder(folder, second)).said).toBe(`refused 1 on ${second}`);
    // Nor does a process outside of them.
    await expect(createJournalStateAdapter({ folder })).rejects.toMatchObject({ code: "store-unavailable" });
    await holder.kill();
    expect((await takeFolder(folder, second)).said).toBe(`holds 1 on ${second}`);
  },
);
