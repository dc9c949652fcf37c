import type { ChildProcess } from "node:child_process";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { beginningOf, endOf, runProgram } from "./program.ts";
import { databasePath, openStore } from "./store.ts";

/** More with CHAINWRIGHT_KILLS=200. */
const kills = Number(process.env["CHAINWRIGHT_KILLS"] ?? 12);
const processes = 4;

/** Begins it, lets it work for a while, and kills it; returns what it printed. */
async function runAndKill(program: ChildProcess): Promise<readonly string[]> {
  let said = "";
  program.stdout?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  await beginningOf(program);
  // Any moment: in a handler, in a transaction, in a commit.
  await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 300));
  program.kill("SIGKILL");
  expect(await endOf(program)).toBe("SIGKILL");
  // A line that was cut off is no acknowledgement.
  return said.slice(0, said.lastIndexOf("\n")).split("\n").slice(1);
}

interface Row {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly effects: number;
}

it.each(["better-sqlite3", "node:sqlite"])(
  "loses nothing and does nothing twice when workers and starters on one file are killed at any moment, on %s",
  { timeout: 60_000 + kills * 2_000 },
  async (library) => {
    const path = databasePath();
    const store = openStore({ path });
    await store.migrate();
    const own = new Database(path);
    own.exec("create table effect (job text not null); create index effect_job on effect (job)");
    own.close();

    let left = kills;
    const acknowledged: string[] = [];
    const lanes = Array.from({ length: processes }, async (_, lane) => {
      // One starter, the others work. On a busy machine a starter may be killed before its first start is acknowledged.
      const isNeeded = () => left > 0 || (lane === 0 && acknowledged.length === 0);
      while (isNeeded()) {
        left -= 1;
        const name = lane === 0 ? "crash-starter" : "crash-worker";
        const said = await runAndKill(runProgram(name, {}, library, path));
        if (lane === 0) acknowledged.push(...said);
      }
    });
    await Promise.all(lanes);

    // One that is left alone ends what there is.
    const last = runProgram("crash-worker", {}, library, path);
    await beginningOf(last);
    const open = async () => (await store.count({})).some(({ status }) => status !== "completed");
    await expect.poll(open, { timeout: 50_000, interval: 100 }).toBe(false);
    last.stdin?.end();
    expect(await endOf(last)).toBe(0);

    const database = new Database(path, { readonly: true });
    const jobs = database
      .prepare<[], Row>(
        `select j.id, j.type_name as type, j.status, (select count(*) from effect e where e.job = j.id) as effects
         from chainwright_job j`,
      )
      .all();
    const intact: unknown = database.pragma("integrity_check", { simple: true });
    const effects = database.prepare<[], { count: number }>("select count(*) as count from effect").get()?.count;
    database.close();

    const ids = new Set(jobs.map((job) => job.id));
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
    expect(jobs.filter((job) => job.status !== "completed")).toEqual([]);
    expect(jobs.filter((job) => job.effects !== (job.type === "address" ? 0 : 1))).toEqual([]);
    expect(effects).toBe(jobs.filter((job) => job.type !== "address").length);
    expect(intact).toBe("ok");
  },
);
