import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { betterSqlite3 } from "../src/drivers/better-sqlite3.ts";
import { areThere, databasePath, gate, jobStart, listening, migratedStore, openStore } from "./store.ts";
import type { Handle } from "./store.ts";

function another(path: string): Handle {
  const database = new Database(path, { timeout: 0 });
  onTestFinished(() => void database.close());
  return database;
}

describe("another process that writes", () => {
  it("is waited for without blocking, however long it takes, and no call fails with SQLITE_BUSY", async () => {
    const path = databasePath();
    const store = await migratedStore({ path });
    const other = another(path);
    other.exec("begin immediate");
    const starts = [jobStart(), jobStart()];
    const waiting = Promise.all([
      store.start([{ starts: starts.slice(0, 1) }], {}),
      store.transaction(async (tx) => void (await store.start([{ starts: starts.slice(1) }], { tx }))),
    ]);
    // Timers of this process get their turn while it waits.
    const { promise, resolve } = gate();
    setTimeout(resolve, 60);
    await promise;
    expect(await areThere(store, starts)).toEqual([false, false]);
    other.exec("rollback");
    await waiting;
    expect(await areThere(store, starts)).toEqual([true, true]);
  });

  it("is waited for until the time limit, and the call then fails with a conflict that can be retried", async () => {
    const path = databasePath();
    const store = await migratedStore({ path, busyTimeoutMs: 30 });
    const other = another(path);
    other.exec("begin immediate");
    const start = jobStart();
    const error: unknown = await store.start([{ starts: [start] }], {}).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "transaction-conflict" });
    expect(store.isConflict(error)).toBe(true);
    other.exec("rollback");
    await store.start([{ starts: [start] }], {});
    expect(await areThere(store, [start])).toEqual([true]);
  });
});

it.each([
  { library: "better-sqlite3", open: (path: string) => new Database(path, { timeout: 0 }) },
  { library: "node:sqlite", open: (path: string) => new DatabaseSync(path, { timeout: 0 }) },
])("what $library says of a lock that was not had is a conflict", async ({ open }) => {
  const path = databasePath();
  const store = await migratedStore({ path });
  const [holder, late] = [open(path), open(path)];
  onTestFinished(() => {
    holder.close();
    late.close();
  });
  holder.exec("begin immediate");
  const begin = () => late.exec("begin immediate");
  expect(begin).toThrow(expect.toSatisfy((error: unknown) => store.isConflict(error)));
});

describe("reads", () => {
  it("neither wait for an open transaction nor see what it has written", async () => {
    const store = await migratedStore();
    const start = jobStart();
    const { promise, resolve } = gate();
    const wrote = gate();
    const writing = store.transaction(async (tx) => {
      await store.start([{ starts: [start] }], { tx });
      wrote.resolve();
      await promise;
    });
    await wrote.promise;
    expect(await areThere(store, [start])).toEqual([false]);
    resolve();
    await writing;
    expect(await areThere(store, [start])).toEqual([true]);
  });
});

describe("a full disk", () => {
  it("is store-unavailable, loses nothing that was acknowledged, and work continues when there is room", async () => {
    const path = databasePath();
    let handle: Handle | undefined;
    const store = await migratedStore({
      driver: listening(path, (_, database) => {
        handle = database;
      }),
    });
    const pages = Number(handle?.pragma("page_count", { simple: true }));
    handle?.pragma(`max_page_count = ${pages + 20}`);
    const kept: ReturnType<typeof jobStart>[] = [];
    const fill = async () => {
      for (;;) {
        const start = jobStart({ input: JSON.stringify("x".repeat(4_000)) });
        await store.start([{ starts: [start] }], {});
        kept.push(start);
      }
    };
    await expect(fill()).rejects.toMatchObject({ code: "store-unavailable", cause: { code: "SQLITE_FULL" } });
    expect(kept.length).toBeGreaterThan(5);
    expect(await areThere(store, kept)).toEqual(kept.map(() => true));

    // The same for a group: all calls reject, and none of their starts is stored.
    const big = Array.from({ length: 3 }, () => jobStart({ input: JSON.stringify("x".repeat(40_000)) }));
    const results = await Promise.allSettled(big.map((start) => store.start([{ starts: [start] }], {})));
    expect(results.map((result) => result.status)).toEqual(["rejected", "rejected", "rejected"]);

    handle?.pragma("max_page_count = 1000000");
    await store.start([{ starts: big }], {});
    expect(await areThere(store, [...kept, ...big])).toEqual([...kept, ...big].map(() => true));
  });
});

describe("a database that cannot be written", () => {
  it("is store-unavailable for writes and is still read", async () => {
    const path = databasePath();
    const start = jobStart();
    await (await migratedStore({ path })).start([{ starts: [start] }], {});
    const database = new Database(path, { readonly: true });
    onTestFinished(() => void database.close());
    const store = openStore({ driver: betterSqlite3(database) });
    await expect(store.start([{ starts: [jobStart()] }], {})).rejects.toMatchObject({ code: "store-unavailable" });
    expect(await areThere(store, [start])).toEqual([true]);
  });
});

describe("a damaged page", () => {
  it("is store-corrupt for calls that read it, and other calls still work", async () => {
    const path = databasePath();
    const starts = Array.from({ length: 40 }, () => jobStart({ input: JSON.stringify("damaged".repeat(200)) }));
    const first = openStore({ path });
    await first.migrate();
    await first.start([{ starts }], {});
    await first.close();
    damage(path, "damageddamaged");

    const store = openStore({ path });
    const codes = new Set<string>();
    for (const { id } of starts) {
      await store.getChains([id], {}).then(
        () => codes.add("served"),
        (error: unknown) => codes.add((error as { code: string }).code),
      );
    }
    expect([...codes].sort()).toEqual(["served", "store-corrupt"]);
    const later = jobStart({ typeName: "b" });
    await store.start([{ starts: [later] }], {});
    const claim = { workerId: "w", types: [{ typeName: "b", leaseMs: 1_000 }], limit: 1 };
    expect((await store.exchange({ outcomes: [], claim }, {})).claimed.map((job) => job.id)).toEqual([later.id]);
  });

  it("with a missing row is store-corrupt, with a message that tables disagree", async () => {
    const path = databasePath();
    const store = await migratedStore({ path });
    const start = jobStart();
    await store.start([{ starts: [start] }], {});
    another(path).exec("delete from chainwright_job");
    const claim = { workerId: "w", types: [{ typeName: "a", leaseMs: 1_000 }], limit: 1 };
    await expect(store.exchange({ outcomes: [], claim }, {})).rejects.toMatchObject({ code: "store-corrupt" });
  });
});

/** Overwrites the header of a page that holds rows with the text, neither the first such page nor the last. */
function damage(path: string, text: string): void {
  const pageSize = 4_096;
  const tableLeaf = 0x0d;
  const content = readFileSync(path);
  const leaves: number[] = [];
  for (let at = 0; at < content.length; at += pageSize) {
    if (content[at] === tableLeaf && content.subarray(at, at + pageSize).includes(text)) leaves.push(at);
  }
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(16, 0xff), 0, 16, leaves[Math.floor(leaves.length / 2)]);
  closeSync(file);
}

describe("a backup", () => {
  it("taken while jobs are started and settled is a complete store", async () => {
    const [path, copy] = [databasePath(), databasePath()];
    const store = await migratedStore({ path });
    const before = Array.from({ length: 200 }, () => jobStart());
    await store.start([{ starts: before }], {});
    const claim = { workerId: "w", types: [{ typeName: "a", leaseMs: 60_000 }], limit: 10 };
    const done = new AbortController();
    const working = (async () => {
      while (!done.signal.aborted) {
        const { claimed } = await store.exchange({ outcomes: [], claim }, {});
        const outcomes = claimed.map(({ id, fence }) => {
          const target = { jobId: id, workerId: "w", fence };
          return { target, kind: "completed", output: "1" } as const;
        });
        await store.exchange({ outcomes, claim: undefined }, {});
        await store.start([{ starts: [jobStart()] }], {});
      }
    })();
    // In one step, as the shell's `.backup` does: every write by another connection would restart a backup in several steps.
    await another(path).backup(copy, { progress: () => 1_000_000 });
    done.abort();
    await working;

    const restored = await migratedStore({ path: copy });
    expect(await areThere(restored, before)).toEqual(before.map(() => true));
    expect(another(copy).pragma("integrity_check", { simple: true })).toBe("ok");
    // Every chain that is not completed still ends.
    const active = { typeNames: undefined, statuses: ["active"], ids: undefined, createdFrom: undefined } as const;
    const page = { createdBefore: undefined, errorText: undefined, after: undefined, limit: 10_000 } as const;
    const open = await restored.listChains({ ...active, ...page, order: "ascending" }, {});
    const later = { now: Date.now() + 120_000 };
    const all = { ...claim, limit: 10_000 };
    const { claimed } = await restored.exchange({ outcomes: [], claim: all }, later);
    expect(claimed.map((job) => job.chainId).sort()).toEqual(open.map((chain) => chain.id));
  });
});
