// Callers start chains on a journal, and write down each start that returned, until the process is killed: node starting-process.ts <json>.
import { openSync, writeSync } from "node:fs";
import { createJournalStateAdapter } from "../../src/index.ts";
import { jobOf } from "../jobs.ts";
import { callers, type LossRun } from "./level.ts";

const { folder, notes, durability } = JSON.parse(process.argv[2] ?? "") as LossRun;
const store = await createJournalStateAdapter({ folder, durability });
const file = openSync(notes, "a");

async function startOnAndOn(caller: number): Promise<void> {
  for (let count = 0; ; count += 1) {
    const id = `${process.pid}-${caller}-${count}`;
    await store.start([{ starts: [jobOf(id)] }], {});
    writeSync(file, `${JSON.stringify({ id, at: performance.timeOrigin + performance.now() })}\n`);
    if (caller + count === 0) process.stdout.write("begun\n");
  }
}

await Promise.all(Array.from({ length: callers }, (_, caller) => startOnAndOn(caller)));
