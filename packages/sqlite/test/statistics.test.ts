import Database from "better-sqlite3";
import type { StateAdapter } from "chainwright/adapter";
import { expect, it, onTestFinished } from "vitest";
import { listenedStore, scansOf } from "./listened-store.ts";
import { databasePath, jobStart, migratedStore, type Handle } from "./store.ts";

/*
 * `analyze` and `pragma optimize` write down how many rows tables have. Planned with what they find in a store that is nearly empty,
 * each claim would read all open jobs, and each end the whole history.
 */

const claim = { workerId: "w", types: [{ typeName: "a", leaseMs: 60_000 }], limit: 1 };
const beat = { workerId: "w", name: "w", typeNames: ["a"], concurrency: 1, holds: 0, aliveForMs: 60_000 };

/** Claims a job and completes it. */
async function work(store: StateAdapter<Handle>): Promise<void> {
  const { claimed } = await store.exchange({ outcomes: [], claim }, {});
  const [job] = claimed;
  if (job === undefined) throw new Error("there is no job");
  const target = { jobId: job.id, workerId: "w", fence: job.fence };
  await store.settle([{ target, kind: "completed", output: "1" }], {});
}

/** The statements that read all jobs. */
const slow = (statements: readonly string[], plans: ReadonlyMap<string, string>): readonly string[] =>
  scansOf(statements, plans).filter((plan) => /^SCAN (j|o|c|chainwright_job|chainwright_open_job)\b/.test(plan));

function openApplication(path: string): Database.Database {
  const application = new Database(path);
  onTestFinished(() => void application.close());
  return application;
}

/** The tables that have statistics or samples. */
function analyzedTables(application: Database.Database): readonly string[] {
  const all = "select tbl from sqlite_stat1 union select tbl from sqlite_stat4 order by tbl";
  return application.prepare<[], string>(all).pluck().all();
}

const cases = [
  { analyze: "analyze", beats: "another process" },
  { analyze: "pragma optimize = 0x10002", beats: "another process" },
  { analyze: "analyze", beats: "its own process" },
] as const;

for (const { analyze, beats } of cases) {
  it(`finds jobs by indexes after the application's "${analyze}" on a nearly empty store and a heartbeat of ${beats}`, async () => {
    const path = databasePath();
    const store = await migratedStore({ path });
    const application = openApplication(path);
    application.exec("create table customer (name text); create index customer_name on customer (name)");
    application.exec("insert into customer (name) values ('a'), ('b')");
    await store.start([{ starts: [jobStart(), jobStart(), jobStart()] }], {});
    await work(store);
    application.exec(analyze);
    expect(analyzedTables(application)).toEqual(expect.arrayContaining(["chainwright_open_job", "customer"]));

    const { store: listened, statements, plans } = await listenedStore(path);
    await work(listened);
    // So the application's statistics do harm.
    expect(slow(statements, plans)).not.toEqual([]);
    await (beats === "its own process" ? listened : store).heartbeat(beat, {});
    plans.clear();
    await work(listened);
    expect(slow(statements, plans)).toEqual([]);
    expect(analyzedTables(application)).toEqual(["customer"]);
  });
}
