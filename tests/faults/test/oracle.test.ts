import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventRules } from "../src/oracle/event-rules.ts";
import { explain } from "../src/oracle/explain.ts";
import { interferenceRules } from "../src/oracle/interference-rules.ts";
import { noteRules } from "../src/oracle/note-rules.ts";
import { structureRules } from "../src/oracle/structure-rules.ts";
import type { Examiner } from "../src/store/open-store.ts";
import { examineStore, openStore, prepareStore } from "../src/store/place.ts";
import { openClient } from "../src/work/open-client.ts";

const all = [...structureRules, ...interferenceRules, ...noteRules, ...eventRules(0)];
/** A violation of each rule, in the store of one chain, `a`, which was only started. */
const breaks: Readonly<Record<string, readonly string[]>> = {
  "jobs without their chain": ["update chainwright_job set step = 2, chain = 77"],
  "open jobs without their chain": ["delete from chainwright_job"],
  "active chains without an open job": ["delete from chainwright_open_job"],
  "chains with two open jobs": [
    "create table copy as select * from chainwright_open_job",
    "update copy set job = 77",
    "insert into chainwright_open_job select * from copy",
  ],
  "chains that are gone and were not deleted": ["insert into fault_gone values ('b', 1, 'loop', 'open', 0, null)"],
  "jobs that are there and gone": ["insert into fault_gone select id, step, type, status, 0, null from fault_job"],
  "writes of attempts that were over": ["insert into fault_effect values ('b', 'b', 1, 'late', null, null, null)"],
  "preparations of jobs that had ended": [
    "insert into fault_effect values ('b', 'b', 1, 'unfenced', null, null, null)",
  ],
  "calls accepted after their transaction": ["insert into fault_said values ('b', 'late')"],
  "starts that returned the chain of another key": [
    "insert into fault_said select id, 'keyed of another' from fault_job",
  ],
  "results of once that changed after it had resolved": [
    "insert into fault_effect values ('b', 'b', 1, 'remembered', null, 'once 0', 'x')",
    "insert into fault_effect values ('b', 'b', 2, 'remembered', null, 'once 0', 'y')",
  ],
  "writes of once in a transaction that were applied twice": [
    "insert into fault_effect values ('b', 'b', 1, 'once', null, 'write 0', 'x')",
    "insert into fault_effect values ('b', 'b', 2, 'once', null, 'write 0', 'y')",
  ],
  "writes of once in a transaction that were lost": [
    "insert into fault_effect values ('b', 'b', 1, 'remembered', null, 'write 0', 'x')",
  ],
  "checkpoints that were saved, and that a later attempt did not have": [
    "insert into fault_effect values ('b', 'b', 1, 'saved', null, 'save 0', '')",
    "insert into fault_effect values ('b', 'b', 2, 'saved', null, 'save 0', '')",
  ],
  "ends reported more often than they happened": [
    "insert into fault_reported select id, 'chain-failed', 1, 0 from fault_job",
  ],
  "ends not reported by processes that lived on": [
    "update chainwright_job set status = 'completed', chain_status = 'completed'",
    "delete from chainwright_open_job",
    "insert into fault_reported select id, 'chain-completed', 1, 0 from fault_job",
  ],
  "starts reported twice, or of chains that never were": [
    "insert into fault_reported values ('b', 'chain-started', 1, 1)",
  ],
  "deletions reported twice, or of chains that are there": [
    "insert into fault_reported select id, 'chain-deleted', 1, 1 from fault_job",
  ],
};

describe("the oracle of the attack", () => {
  let folder: string;
  let examiner: Examiner;
  let database: Database.Database;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "chainwright-oracle-"));
    const place = { kind: "sqlite", path: join(folder, "jobs.db"), library: "better-sqlite3" } as const;
    await prepareStore(place);
    const store = openStore(place);
    const client = openClient(store);
    await client.startChain({ typeName: "line", input: { delayMs: 0 } });
    await client.close();
    await store.notifyAdapter?.close();
    await store.close();
    examiner = await examineStore(place);
    database = new Database(place.path);
  });
  afterEach(async () => {
    database.close();
    await examiner.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("finds nothing in a correct store", async () => {
    for (const { name, sql } of all) expect([name, await examiner.count(sql)]).toEqual([name, 0]);
  });

  it.each(all)("finds $name", async ({ name, sql }) => {
    for (const statement of breaks[name] ?? []) database.exec(statement);
    expect(await examiner.count(sql)).toBeGreaterThan(0);
    expect(await explain(examiner, { name, sql })).not.toHaveLength(1);
  });
});
