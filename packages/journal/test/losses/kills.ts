import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createJournalStateAdapter } from "../../src/index.ts";
import { allChains } from "../jobs.ts";
import { addAccident, noLoss, type Acknowledged, type Loss, type LossRun } from "./level.ts";

const program = fileURLToPath(new URL("starting-process.ts", import.meta.url));
const flags = ["--conditions=@chainwright/source", "--experimental-strip-types", "--no-warnings"];

/** Kills a process that starts chains, each time after another while, and looks for what it had acknowledged. */
export async function lossOfKills(run: LossRun, kills: number): Promise<Loss> {
  let loss = noLoss;
  for (let kill = 0; kill < kills; kill += 1) {
    const notes = `${run.notes}-${kill}`;
    const child = spawn(process.execPath, [...flags, program, JSON.stringify({ ...run, notes })], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const closed = once(child, "close");
    await createInterface(child.stdout)[Symbol.asyncIterator]().next();
    await delay(100 + Math.random() * 200);
    const at = performance.timeOrigin + performance.now();
    child.kill("SIGKILL");
    await closed;
    loss = addAccident(loss, { acknowledged: readNotes(notes), there: await chainsOf(run), at });
  }
  return loss;
}

function readNotes(path: string): readonly Acknowledged[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Acknowledged);
}

async function chainsOf({ folder, durability }: LossRun): Promise<ReadonlySet<string>> {
  const store = await createJournalStateAdapter({ folder, durability });
  const chains = await store.listChains(allChains, {});
  await store.close();
  return new Set(chains.map(({ id }) => id));
}
