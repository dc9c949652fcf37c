import { describe, expect, it } from "vitest";
import type { Hint } from "../../src/ports/notify.ts";
import { createVirtualClock } from "../../src/testing/index.ts";
import { createLookOrder } from "../../src/hints/look-order.ts";

const claimMs = 2;

/** Workers that hear each other, and a store with jobs; a look takes two milliseconds. */
function createFleet(options: { readonly size: number; readonly concurrency?: number }) {
  const clock = createVirtualClock();
  const { concurrency = 10 } = options;
  let jobs = 0;
  let drawn = 0;
  const workers = new Map<string, ReturnType<typeof join>>();
  const published: Hint[] = [];
  const publish = (hints: readonly Hint[]): void => {
    published.push(...hints);
    void clock.setTimer(() => {
      for (const worker of workers.values()) if (worker.hears) worker.hear(hints);
    }, 1);
  };

  const join = (workerId: string) => {
    const worker = {
      hears: true,
      isFree: true,
      looks: 0,
      empty: 0,
      took: 0,
      look: (): void => look(),
      hear(hints: readonly Hint[]) {
        for (const hint of hints) {
          if (hint.kind === "ready") turns.ready(hint);
          if (hint.kind === "taken") turns.taken(hint);
          if (hint.kind === "left") turns.left(hint.workerId);
        }
      },
    };
    const look = (): void => {
      if (!worker.isFree) return;
      const found = turns.begin();
      worker.looks += 1;
      clock.setTimer(() => {
        const count = Math.min(jobs, concurrency);
        jobs -= count;
        worker.took += count;
        if (count === 0) worker.empty += 1;
        // All slots are taken for a while.
        if (count === concurrency) {
          worker.isFree = false;
          clock.setTimer(() => void (worker.isFree = true), 50);
        }
        found({ typeNames: Array.from({ length: count }, () => "a"), dry: count < concurrency, wasDue: false });
      }, claimMs);
    };
    const isFree = (): boolean => worker.isFree;
    const turns = createLookOrder({ clock, workerId, typeNames: ["a", "b"], concurrency, look, isFree, send: publish });
    turns.greet();
    return Object.assign(worker, { turns });
  };
  for (let index = 0; index < options.size; index += 1) workers.set(`w-${index}`, join(`w-${index}`));

  const sum = (what: "looks" | "empty" | "took"): number =>
    [...workers.values()].reduce((total, worker) => total + worker[what], 0);
  return {
    clock,
    workers,
    published,
    join: (workerId: string) => void workers.set(workerId, join(workerId)),
    start(count: number): void {
      jobs += count;
      drawn += 1;
      publish([{ kind: "ready", typeName: "a", count, draw: Math.imul(drawn, 0x9e3779b1) >>> 0 }]);
    },
    /** Announces a job that becomes ready when it is due. */
    startLater(dueInMs: number): void {
      drawn += 1;
      clock.setTimer(() => void (jobs += 1), dueInMs);
      publish([{ kind: "ready", typeName: "a", count: 1, draw: Math.imul(drawn, 0x9e3779b1) >>> 0, dueInMs }]);
    },
    startUnannounced(count: number): void {
      jobs += count;
    },
    sum,
    get waiting() {
      return jobs;
    },
  };
}

/** Every worker knows all others. */
async function introduced(options: Parameters<typeof createFleet>[0]) {
  const fleet = createFleet(options);
  await fleet.clock.advance(1_000);
  return fleet;
}

describe("among many idle workers", () => {
  it("one looks for one job, and each gets its share of a thousand", async () => {
    const fleet = await introduced({ size: 8 });
    for (let count = 0; count < 1_000; count += 1) {
      fleet.start(1);
      await fleet.clock.advance(20);
    }
    expect([fleet.sum("took"), fleet.sum("looks")]).toEqual([1_000, 1_000]);
    for (const { took } of fleet.workers.values()) expect(took).toBeGreaterThan(80);
  });

  it("the worker whose turn it is looks at once", async () => {
    const fleet = await introduced({ size: 8 });
    fleet.start(1);
    await fleet.clock.advance(1);
    expect(fleet.sum("looks")).toBe(1);
  });

  it("as many workers look as the jobs need", async () => {
    const fleet = await introduced({ size: 8, concurrency: 10 });
    fleet.start(35);
    await fleet.clock.advance(1);
    expect(fleet.sum("looks")).toBe(4);
    await fleet.clock.advance(100);
    // A worker that fills its slots reports nothing, so the others look once to learn that nothing is left.
    expect(fleet.sum("took")).toBe(35);
    expect(fleet.sum("empty")).toBeLessThanOrEqual(4);
  });

  it("none looks for a job that is due later, and one does when it is due", async () => {
    const fleet = await introduced({ size: 8 });
    for (let count = 0; count < 100; count += 1) {
      fleet.startLater(500 + 7 * count);
      await fleet.clock.advance(1);
    }
    await fleet.clock.advance(390);
    expect(fleet.sum("looks")).toBe(0);
    await fleet.clock.advance(1_000);
    expect(fleet.sum("took")).toBe(100);
    expect(fleet.sum("empty")).toBeLessThan(10);
  });

  it("jobs that no hint announced are claimed without a message", async () => {
    const fleet = await introduced({ size: 8 });
    const before = fleet.published.length;
    fleet.startUnannounced(500);
    for (let count = 0; count < 20; count += 1) {
      for (const worker of fleet.workers.values()) worker.look();
      await fleet.clock.advance(100);
    }
    expect([fleet.sum("took"), fleet.published.length - before]).toEqual([500, 0]);
  });

  it("the next worker looks a little later when no one takes the job", async () => {
    const fleet = await introduced({ size: 8 });
    for (const worker of [...fleet.workers.values()].slice(0, 7)) worker.hears = false;
    for (let count = 0; count < 20; count += 1) {
      fleet.start(1);
      await fleet.clock.advance(100);
      expect(fleet.waiting).toBe(0);
    }
  });

  it("a worker that is gone delays three jobs, and no later ones", async () => {
    const fleet = await introduced({ size: 2 });
    const gone = fleet.workers.get("w-0");
    fleet.workers.delete("w-0");
    expect(gone?.hears).toBe(true);
    let late = 0;
    for (let count = 0; count < 100; count += 1) {
      fleet.start(1);
      await fleet.clock.advance(5);
      if (fleet.waiting > 0) late += 1;
      await fleet.clock.advance(50);
    }
    expect(fleet.waiting).toBe(0);
    expect(late).toBe(3);
  });

  it("a worker that leaves delays no job", async () => {
    const fleet = await introduced({ size: 8 });
    const leaving = fleet.workers.get("w-3");
    fleet.workers.delete("w-3");
    leaving?.turns.leave();
    await fleet.clock.advance(5);
    for (let count = 0; count < 100; count += 1) {
      fleet.start(1);
      await fleet.clock.advance(5);
      expect(fleet.waiting).toBe(0);
    }
    expect(fleet.sum("empty")).toBe(0);
  });

  it("a worker without free slots counts as gone, and joins again when it announces itself", async () => {
    const fleet = await introduced({ size: 2 });
    const [busy] = [...fleet.workers.values()];
    if (busy === undefined) throw new Error("there are two");
    busy.isFree = false;
    for (let count = 0; count < 50; count += 1) {
      fleet.start(1);
      await fleet.clock.advance(50);
    }
    expect(busy.took).toBe(0);
    busy.isFree = true;
    for (let count = 0; count < 100; count += 1) {
      fleet.start(1);
      await fleet.clock.advance(50);
    }
    expect(busy.took).toBeGreaterThan(20);
    expect(fleet.waiting).toBe(0);
  });

  it("a new worker takes its turns", async () => {
    const fleet = await introduced({ size: 3 });
    fleet.join("new");
    await fleet.clock.advance(1_000);
    for (let count = 0; count < 200; count += 1) {
      fleet.start(1);
      await fleet.clock.advance(50);
    }
    expect(fleet.workers.get("new")?.took).toBeGreaterThan(20);
    expect(fleet.sum("empty")).toBeLessThan(10);
  });

  it("a job is taken although a hint of another worker is lost, doubled or senseless", async () => {
    const fleet = await introduced({ size: 4 });
    for (let count = 0; count < 300; count += 1) {
      fleet.start(1);
      for (const worker of fleet.workers.values()) {
        if (count % 3 === 0) worker.hear([{ kind: "taken", workerId: "w-1", typeName: "a", count: 0 }]);
        if (count % 5 === 0) worker.hear([{ kind: "ready", typeName: "a", count: -1, draw: 1 }]);
        if (count % 7 === 0) worker.hear([{ kind: "ready", typeName: "a", count: 1, draw: count }]);
      }
      await fleet.clock.advance(100);
      expect(fleet.waiting).toBe(0);
    }
  });
});

describe("a hint of another process, true or false,", () => {
  it("keeps a job waiting no longer than a tenth of a second, however many are before it", async () => {
    const fleet = await introduced({ size: 2 });
    const crowd = Array.from({ length: 100_000 }, (_, index): Hint => {
      return { kind: "taken", workerId: `forged-${index}`, typeName: "a", count: 0 };
    });
    for (const worker of fleet.workers.values()) worker.hear(crowd);
    for (let count = 0; count < 20; count += 1) {
      fleet.start(1);
      await fleet.clock.advance(110);
      expect(fleet.waiting).toBe(0);
    }
  });

  it("does not keep all workers looking for jobs that do not exist, not even beside steady traffic", async () => {
    const fleet = await introduced({ size: 8 });
    const traffic = async (starts: number): Promise<number> => {
      const before = fleet.sum("looks");
      // So close that every look hears of another job before it ends.
      for (let count = 0; count < starts; count += 1) {
        fleet.start(1);
        await fleet.clock.advance(1);
      }
      return fleet.sum("looks") - before;
    };
    const usual = await traffic(500);
    for (const worker of fleet.workers.values())
      worker.hear([{ kind: "ready", typeName: "a", count: 10 ** 15, draw: 1 }]);
    expect(await traffic(500)).toBeLessThan(usual * 1.5);
  });
});

it("a worker without others announces nothing of what it takes", async () => {
  const fleet = await introduced({ size: 1 });
  const before = fleet.published.length;
  for (let count = 0; count < 10; count += 1) {
    fleet.start(1);
    await fleet.clock.advance(10);
  }
  expect(fleet.published.length - before).toBe(10);
});
