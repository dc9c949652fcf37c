import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { createJournalStateAdapter } from "../src/index.ts";
import { temporaryFolder } from "./backend.ts";
import { lostOf } from "./jobs.ts";

/** More with CHAINWRIGHT_KILLS=200. */
const kills = Number(process.env["CHAINWRIGHT_KILLS"] ?? 4);

const program = fileURLToPath(new URL("fixtures/starter.ts", import.meta.url));
const flags = ["--conditions=@chainwright/source", "--experimental-strip-types", "--no-warnings"];

/** Lets it work for a while and kills it; returns what it printed. */
async function runAndKill(folder: string, level: string): Promise<readonly string[]> {
  const child = spawn(process.execPath, [...flags, program, folder, level], { stdio: ["pipe", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const closed = once(child, "close");
  await Promise.race([once(child.stdout, "data"), closed]);
  // Any moment: in a write, in a sync, in a snapshot.
  await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 150));
  child.kill("SIGKILL");
  expect(await closed).toEqual([null, "SIGKILL"]);
  // A line that was cut off is no acknowledgement.
  return said.slice(0, said.lastIndexOf("\n")).split("\n").slice(1);
}

it.each(["full", "20"])(
  "loses nothing that it has acknowledged when its process is killed at any moment, with %s",
  { timeout: 60_000 + kills * 3_000 },
  async (level) => {
    const folder = temporaryFolder();
    const acknowledged: string[] = [];
    for (let kill = 0; kill < kills || acknowledged.length === 0; kill += 1)
      acknowledged.push(...(await runAndKill(folder, level)));
    const store = await createJournalStateAdapter({ folder });
    expect(await lostOf(store, acknowledged)).toEqual([]);
    await store.close();
  },
);
