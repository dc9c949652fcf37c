import { randomUUID } from "node:crypto";
import Database from "better-sqlite3";
import type { ChainStatus, JobStatus } from "chainwright";
import type { ChainQuery, JobStart } from "chainwright/adapter";
import { expect, it } from "vitest";
import { betterSqlite3 } from "../src/drivers/better-sqlite3.ts";
import { createSqliteStateAdapter } from "../src/index.ts";
import type { SqliteDriver } from "../src/index.ts";

/** Statements that may read a whole table, because they count open work or page by id, and statements that read one row. */
const mayScan = [
  /from \(select 1 from chainwright_(ready|job)( where status = 'blocked')? limit \+\?\)$/,
  /group by/,
  /limit 1$/,
  /order by (c|j)\.id.*limit \+\?$/s,
];

/** A driver that records every prepared statement. */
function noting(driver: SqliteDriver<Database.Database>, statements: Set<string>): SqliteDriver<Database.Database> {
  return {
    ...driver,
    open: () => {
      const database = driver.open();
      return {
        handle: database.handle,
        get inTransaction() {
          return database.inTransaction;
        },
        exec: database.exec,
        close: database.close,
        prepare: (sql) => {
          statements.add(sql);
          return database.prepare(sql);
        },
      };
    },
  };
}

function start(details: Partial<JobStart> = {}): JobStart {
  return {
    id: randomUUID(),
    typeName: "a",
    input: "1",
    priority: 0,
    schedule: undefined,
    blockers: [],
    onBlockerFailure: "fail",
    deduplication: undefined,
    context: undefined,
    ...details,
  };
}

it("finds every row of the job, ready and blocker tables by an index, however many there are", async () => {
  const database = new Database(":memory:");
  const statements = new Set<string>();
  const driver = noting(betterSqlite3(database), statements);
  const adapter = createSqliteStateAdapter({ driver, durability: "off" });
  await adapter.migrate();

  // Each operation runs once, so that its statements are prepared.
  const blocker = start();
  const blocked = start({ blockers: [{ start: blocker }], deduplication: { key: "k", scope: "active", windowMs: 5 } });
  const scheduled = start({ schedule: { afterMs: 1_000_000 } });
  const removed = start({ schedule: { at: 1 }, tags: { orderId: "42" } });
  await adapter.start([{ starts: [blocked, scheduled, removed] }], {});
  const types = ["b", "c", "d", "e", "f", "g", "h", "i", "a"].map((typeName) => ({ typeName, leaseMs: 1_000 }));
  const claim = { workerId: "w", types, limit: 10 };
  const { claimed } = await adapter.exchange({ outcomes: [], claim }, {});
  const first = claimed.find((job) => job.id === blocker.id);
  const fence = { jobId: blocker.id, workerId: "w", fence: first?.fence ?? 0 };
  await adapter.renew({ workerId: "w", held: [{ jobId: blocker.id, fence: 1, leaseMs: 5 }] }, {});
  await adapter.settle([{ target: fence, kind: "deferred", schedule: undefined, counted: true, errors: "[]" }], {});
  await adapter.cancel([{ chainId: blocker.id, reason: undefined }], {});
  await adapter.retry([{ chainId: blocker.id, input: undefined, typeName: undefined }], {});
  const next = start({ blockers: [{ chainId: removed.id, typeName: undefined }] });
  await adapter.settle([{ target: { chainId: blocker.id, typeName: "a" }, kind: "continued", next }], {});
  await adapter.settle([{ target: { chainId: removed.id, typeName: "a" }, kind: "completed", output: "1" }], {});
  await adapter.settle([{ target: { chainId: blocker.id, typeName: "a" }, kind: "completed", output: "1" }], {});
  await adapter.trigger([scheduled.id], {});
  await adapter.countAhead(scheduled.id, 10, {});
  await adapter.remove({ chainIds: [blocker.id], cascade: true }, {});
  await adapter.maintain({ completedMs: 0, failedMs: 0, limit: 10 }, {});
  const page = { after: undefined, limit: 10, order: "descending" } as const;
  const filters = { typeNames: ["a"], ids: [next.id], createdFrom: 0, createdBefore: 9, errorText: "x", ...page };
  await adapter.listChains({ ...filters, statuses: ["failed"] }, {});
  await adapter.listChains({ ...filters, statuses: ["failed"], tags: { a: "1", b: "2" }, key: { equals: "k" } }, {});
  await adapter.getKeyHolders(["k"], {});
  await adapter.countBlockers({ of: "job", id: next.id }, {});
  await adapter.countBlockers({ of: "chain", id: next.id }, {});
  await adapter.listJobs({ ...filters, statuses: ["ready"], chainId: next.id, blockedBy: next.id }, {});
  await adapter.listBlockers({ jobId: next.id, afterPosition: undefined, limit: 10 }, {});
  await adapter.heartbeat(
    { workerId: "w", name: "w", typeNames: ["a"], concurrency: 1, holds: 0, aliveForMs: 1_000 },
    {},
  );

  const scans: string[] = [];
  for (const sql of statements) {
    if (!/^\s*(select|update|delete|insert)/.test(sql) || mayScan.some((pattern) => pattern.test(sql))) continue;
    const plan = database.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`);
    const places = sql.match(/\?/g)?.length ?? 0;
    for (const { detail } of plan.all(...Array.from({ length: places }, () => 1))) {
      if (/^SCAN (j|c|b|f|e|n|r|s|g|x|chainwright_(job|ready|blocker|deduplication|tag|expiry))\b/.test(detail))
        scans.push(`${detail}\n${sql}`);
    }
  }
  await adapter.close();
  database.close();

  expect(statements.size).toBeGreaterThan(60);
  expect(scans).toEqual([]);
});

it("lists what is open or was stopped without going through the history", async () => {
  const database = new Database(":memory:");
  const statements = new Set<string>();
  const driver = noting(betterSqlite3(database), statements);
  const adapter = createSqliteStateAdapter({ driver, durability: "off" });
  await adapter.migrate();
  const page = { after: undefined, limit: 10, order: "descending" } as const;
  const all = { typeNames: undefined, ids: undefined, createdFrom: undefined, createdBefore: undefined } as const;
  const ofJobs = { chainId: undefined, blockedBy: undefined } as const;
  const plansOf = async (list: () => Promise<unknown>): Promise<string> => {
    statements.clear();
    await list();
    const sql = [...statements].findLast((text) => text.endsWith("limit +?")) ?? "";
    const plan = database.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`);
    const details = plan.all(...Array.from({ length: sql.match(/\?/g)?.length ?? 0 }, () => 1));
    return details.map(({ detail }) => detail).join("\n");
  };
  const found = (query: Partial<ChainQuery>) =>
    plansOf(() => adapter.listChains({ ...all, ...page, statuses: undefined, errorText: undefined, ...query }, {}));
  const chains = (statuses: readonly ChainStatus[], errorText?: string) =>
    plansOf(() => adapter.listChains({ ...all, ...page, statuses, errorText }, {}));
  const jobs = (statuses: readonly JobStatus[]) =>
    plansOf(() => adapter.listJobs({ ...all, ...page, ...ofJobs, statuses, errorText: undefined }, {}));

  expect(await chains(["failed"])).toContain("chainwright_job_chain_stopped");
  expect(await chains(["failed", "completed"], "text")).toContain("chainwright_job_chain_stopped");
  expect(await chains(["active"])).toContain("SEARCH c USING INTEGER PRIMARY KEY");
  expect(await jobs(["cancelled", "failed"])).toContain("chainwright_job_stopped");
  expect(await jobs(["blocked", "running"])).toContain("SEARCH j USING INTEGER PRIMARY KEY");
  const along = "SEARCH g USING PRIMARY KEY (name=? AND value=? AND chain_id<?)";
  const byTag = await found({ tags: { a: "1" }, after: randomUUID() });
  expect(byTag).toContain(along);
  expect(byTag).not.toContain("TEMP B-TREE");
  expect(await found({ tags: { a: "1", b: "2" }, after: randomUUID() })).toContain(along);
  const byKey = await found({ key: { equals: "k" } });
  expect(byKey).toContain("chainwright_job_key (key=?");
  expect(byKey).not.toContain("TEMP B-TREE");
  expect(await found({ key: { beginsWith: "k" } })).toContain("chainwright_job_key (key>? AND key<?)");
  await adapter.close();
  database.close();
});

it("pages through 20,000 chains of one tag, and writes no row of tags for chains without tags", async () => {
  const database = new Database(":memory:");
  const adapter = createSqliteStateAdapter({ driver: betterSqlite3(database), durability: "off" });
  await adapter.migrate();
  const tagged = (count: number, tags: JobStart["tags"]) => Array.from({ length: count }, () => start({ tags }));
  await adapter.start([{ starts: tagged(20_000, { tenant: "acme" }) }], {});
  await adapter.start([{ starts: tagged(1, { tenant: "acme", orderId: "7" }) }], {});
  await adapter.start([{ starts: tagged(100, undefined) }], {});
  expect(database.prepare("select count(*) from chainwright_tag").pluck().get()).toBe(20_002);
  const seen = new Set<string>();
  for (let after: string | undefined; ;) {
    const query = { ...everyChain, after, limit: 1_000, order: "descending", tags: { tenant: "acme" } } as const;
    const page = await adapter.listChains(query, {});
    if (page.length === 0) break;
    for (const { id } of page) seen.add(id);
    after = page.at(-1)?.id;
  }
  expect(seen.size).toBe(20_001);
  const both = { ...everyChain, after: undefined, limit: 10, order: "ascending" } as const;
  expect(await adapter.listChains({ ...both, tags: { tenant: "acme", orderId: "7" } }, {})).toHaveLength(1);
  await adapter.close();
  database.close();
});

const everyChain = {
  typeNames: undefined,
  statuses: undefined,
  ids: undefined,
  createdFrom: undefined,
  createdBefore: undefined,
  errorText: undefined,
} as const;
