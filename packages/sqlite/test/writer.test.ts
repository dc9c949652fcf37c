import { expect, it, onTestFinished, vi } from "vitest";
import { areThere, databasePath, gate, jobStart, listening, migratedStore, openStore } from "./store.ts";
import type { Handle } from "./store.ts";

const frames = /^(begin|commit|rollback|savepoint chainwright_member|release chainwright_member)/;

/** A migrated store that notes how its transactions begin and end. */
async function notedStore() {
  const notes: string[] = [];
  const driver = listening(databasePath(), (sql) => {
    if (frames.test(sql)) notes.push(sql);
  });
  const store = await migratedStore({ driver });
  notes.length = 0;
  return { store, notes };
}

it("runs a call that is alone in a transaction without savepoints", async () => {
  const { store, notes } = await notedStore();
  await store.start([{ starts: [jobStart()] }], {});
  expect(notes).toEqual(["begin immediate", "commit"]);
});

it("commits calls made at the same time together", async () => {
  const { store, notes } = await notedStore();
  const starts = Array.from({ length: 50 }, () => jobStart());
  await Promise.all(starts.map((start) => store.start([{ starts: [start] }], {})));
  // One, unless the machine is so busy that the group's time limit passes.
  expect(notes.filter((sql) => sql === "commit").length).toBeLessThan(starts.length / 2);
  expect(await areThere(store, starts)).toEqual(starts.map(() => true));
});

it("commits transactions together, with a savepoint around each except the first", async () => {
  const { store, notes } = await notedStore();
  const starts = Array.from({ length: 10 }, () => jobStart());
  await Promise.all(
    starts.map((start) => store.transaction(async (tx) => void (await store.start([{ starts: [start] }], { tx })))),
  );
  const commits = notes.filter((sql) => sql === "commit").length;
  expect(commits).toBeLessThan(starts.length);
  expect(notes.filter((sql) => sql.startsWith("savepoint"))).toHaveLength(starts.length - commits);
  expect(await areThere(store, starts)).toEqual(starts.map(() => true));
});

it.each([0, 1, 2])(
  "rolls back the callback that fails, number %i of three, and commits the other two",
  async (failing) => {
    const { store } = await notedStore();
    const starts = [jobStart(), jobStart(), jobStart()];
    const results = await Promise.allSettled(
      starts.map((start, index) =>
        store.transaction(async (tx) => {
          await store.start([{ starts: [start] }], { tx });
          if (index === failing) throw new Error("mine");
        }),
      ),
    );
    const others = [0, 1, 2].map((index) => index !== failing);
    expect(results.map((result) => result.status === "fulfilled")).toEqual(others);
    expect(await areThere(store, starts)).toEqual(others);
  },
);

it.each(["SQLITE_FULL", "SQLITE_IOERR"])(
  "rejects every call of a group when the commit fails with %s, and continues when the cause is gone",
  async (code) => {
    let isFull = false;
    const driver = listening(databasePath(), (sql) => {
      if (isFull && sql === "commit") throw Object.assign(new Error("the disk fails"), { code });
    });
    const store = await migratedStore({ driver });
    const starts = [jobStart(), jobStart()];
    isFull = true;
    const results = await Promise.allSettled(starts.map((start) => store.start([{ starts: [start] }], {})));
    expect(results).toMatchObject(starts.map(() => ({ status: "rejected", reason: { code: "store-unavailable" } })));
    isFull = false;
    expect(await areThere(store, starts)).toEqual([false, false]);
    await store.start([{ starts }], {});
    expect(await areThere(store, starts)).toEqual([true, true]);
  },
);

it("rejects every call of a group when the store ends their transaction", async () => {
  let isDoomed = false;
  const store = await migratedStore({
    driver: listening(databasePath(), (sql, handle) => {
      if (!isDoomed || !sql.includes("insert into chainwright_open_job")) return;
      isDoomed = false;
      // As SQLite does when the disk is full: the whole transaction is gone, not just the statement.
      handle.exec("rollback");
      throw Object.assign(new Error("disk full"), { code: "SQLITE_FULL" });
    }),
  });
  const starts = [jobStart(), jobStart()];
  // The clock stops, because a group that is older than some milliseconds is committed before the next call.
  const now = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  onTestFinished(() => now.mockRestore());
  const first = store.transaction(async (tx) => {
    await store.start([{ starts: starts.slice(0, 1) }], { tx });
    isDoomed = true;
  });
  const second = store.start([{ starts: starts.slice(1) }], {});
  const rejected = { status: "rejected", reason: { code: "store-unavailable" } };
  expect(await Promise.allSettled([first, second])).toMatchObject([rejected, rejected]);
  expect(await areThere(store, starts)).toEqual([false, false]);
});

it.each(["savepoint", "release"])(
  "a failing %s of the writer rejects its whole group, and the writer continues",
  async (statement) => {
    const disk = { isBroken: false };
    const driver = listening(databasePath(), (sql) => {
      if (!disk.isBroken || !sql.startsWith(`${statement} chainwright_member`)) return;
      disk.isBroken = false;
      throw Object.assign(new Error("out of memory"), { code: "SQLITE_NOMEM" });
    });
    const store = await migratedStore({ driver });
    disk.isBroken = true;
    // On a machine that is slow at the moment, each call may be in its own group.
    for (let round = 0; disk.isBroken && round < 100; round += 1) {
      const starts = [jobStart(), jobStart(), jobStart()];
      const results = await Promise.allSettled(starts.map((start) => store.start([{ starts: [start] }], {})));
      expect(await areThere(store, starts)).toEqual(results.map((result) => result.status === "fulfilled"));
    }
    expect(disk.isBroken).toBe(false);
    await store.start([{ starts: [jobStart()] }], {});
  },
);

it("closes the handle of a transaction when the transaction ends", async () => {
  const store = await migratedStore();
  let kept: Handle | undefined;
  await store.transaction(async (tx) => {
    kept = tx;
    expect(tx.prepare("select 1 as one").get()).toEqual({ one: 1 });
  });
  expect(() => kept?.prepare("select 1")).toThrow(expect.objectContaining({ code: "closed" }));
  await expect(store.start([{ starts: [jobStart()] }], { tx: kept })).rejects.toMatchObject({ code: "closed" });
});

it("refuses a tx that is not one of its transactions", async () => {
  const store = await migratedStore();
  const other = await migratedStore();
  await other.transaction(async (tx) => {
    await expect(store.start([{ starts: [jobStart()] }], { tx })).rejects.toMatchObject({ code: "invalid-input" });
  });
});

it("refuses a call without tx inside a callback, because it would wait for its own caller", async () => {
  const store = await migratedStore();
  const [start, inner] = [jobStart(), jobStart()];
  await store.transaction(async (tx) => {
    await store.start([{ starts: [start] }], { tx });
    await expect(store.start([{ starts: [inner] }], {})).rejects.toMatchObject({ code: "invalid-input" });
    await expect(store.transaction(() => Promise.resolve())).rejects.toMatchObject({ code: "invalid-input" });
    // Reads have their own connection.
    expect(await areThere(store, [start])).toEqual([false]);
  });
  expect(await areThere(store, [start, inner])).toEqual([true, false]);
});

it("runs calls without tx that a callback caused when the transaction has ended", async () => {
  const store = await migratedStore();
  const start = jobStart();
  const { promise, resolve } = gate();
  let later: Promise<unknown> = Promise.resolve();
  await store.transaction(async () => {
    later = promise.then(() => store.start([{ starts: [start] }], {}));
  });
  resolve();
  await later;
  expect(await areThere(store, [start])).toEqual([true]);
});

it("rolls back a callback that takes too long, closes its tx, and runs the calls that waited", async () => {
  const store = await migratedStore({ transactionTimeoutMs: 20 });
  const [slow, next] = [jobStart(), jobStart()];
  const { promise, resolve } = gate();
  let late: unknown;
  const callback = store.transaction(async (tx) => {
    await store.start([{ starts: [slow] }], { tx });
    await promise;
    late = await store.start([{ starts: [slow] }], { tx }).catch((error: unknown) => error);
  });
  const behind = store.start([{ starts: [next] }], {});
  await expect(callback).rejects.toMatchObject({ code: "timeout" });
  await behind;
  resolve();
  await expect.poll(() => late).toMatchObject({ code: "closed" });
  expect(await areThere(store, [slow, next])).toEqual([false, true]);
});

it("commits earlier calls before it begins another callback if the one before was slow", async () => {
  const store = await migratedStore();
  const wait = () => {
    const { promise, resolve } = gate();
    setTimeout(resolve, 10);
    return promise;
  };
  await store.transaction(wait);

  const { promise, resolve } = gate();
  const quick = store.start([{ starts: [jobStart()] }], {});
  const slow = store.transaction(() => promise);
  // It would never resolve if it were in the slow call's commit.
  await quick;
  resolve();
  await slow;
});

it("rejects a callback that ends its transaction by itself, and continues", async () => {
  const store = await migratedStore();
  await expect(store.transaction(async (tx) => void tx.exec("commit"))).rejects.toMatchObject({ code: "closed" });
  const start = jobStart();
  await store.start([{ starts: [start] }], {});
  expect(await areThere(store, [start])).toEqual([true]);
});

it("does not commit a transaction in which a call of the library failed although its callback continued", async () => {
  let isBroken = false;
  const store = await migratedStore({
    driver: listening(databasePath(), (sql) => {
      if (isBroken && sql.includes("insert into chainwright_open_job")) throw new Error("broke off");
    }),
  });
  const start = jobStart();
  isBroken = true;
  const transaction = store.transaction(async (tx) => {
    await store.start([{ starts: [start] }], { tx }).catch(() => undefined);
  });
  await expect(transaction).rejects.toThrow("broke off");
  isBroken = false;
  expect(await areThere(store, [start])).toEqual([false]);
});

it("runs the calls that wait before it closes, and refuses later ones", async () => {
  const store = await migratedStore();
  const path = databasePath();
  const other = openStore({ path });
  await other.migrate();
  const start = jobStart();
  const waiting = other.start([{ starts: [start] }], {});
  await Promise.all([other.close(), other.close()]);
  await waiting;
  await expect(other.start([{ starts: [start] }], {})).rejects.toMatchObject({ code: "closed" });
  await expect(other.getChains([start.id], {})).rejects.toMatchObject({ code: "closed" });
  expect(await areThere(openStore({ path }), [start])).toEqual([true]);
  await store.close();
});

it("lets timers run while callers keep it busy", async () => {
  const store = await migratedStore();
  const over = AbortSignal.timeout(20);
  const calls = async () => {
    while (!over.aborted) await store.start([{ starts: [jobStart()] }], {});
  };
  // Only the timer ends it.
  await Promise.all([calls(), calls(), calls()]);
  expect(over.aborted).toBe(true);
});

it("gives the event loop a turn between two commits that each wait for the disk", async () => {
  const order: ("commit" | "turn")[] = [];
  let now = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const driver = listening(databasePath(), (sql) => {
    if (!sql.startsWith("commit")) return;
    order.push("commit");
    now += 4;
  });
  const store = await migratedStore({ driver });
  order.length = 0;
  let immediate: NodeJS.Immediate | undefined;
  const turn = (): void => {
    order.push("turn");
    immediate = setImmediate(turn);
  };
  turn();
  const calls = async () => {
    for (let call = 0; call < 5; call += 1) await store.start([{ starts: [jobStart()] }], {});
  };
  await Promise.all([calls(), calls(), calls()]);
  clearImmediate(immediate);
  expect(order.filter((each) => each === "commit").length).toBeGreaterThanOrEqual(5);
  expect(order.some((each, index) => each === "commit" && order[index + 1] === "commit")).toBe(false);
});
