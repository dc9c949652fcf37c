import { isChainwrightError } from "chainwright";
import { expect, it } from "vitest";
import { afterKill, afterPowerLoss, createFakeDisk, type Fault } from "./fake-disk.ts";
import { jobOf } from "./jobs.ts";
import { elsewhere, inThread, paces } from "./paces.ts";
import { lostIn, openOn, work } from "./work.ts";

const codes = ["EIO", "ENOSPC"];

/** Fails once, at one step; what comes after seems to work, as a sync does that follows a failed one. */
function failingAt(number: number, code: string): Fault {
  return (_kind, step) => {
    if (step === number) throw Object.assign(new Error(code), { code });
  };
}

function toText(error: unknown): string {
  if (!isChainwrightError(error)) return String(error);
  const { code, details, cause } = error;
  return `${code} ${String(details["outcome"])} ${cause instanceof Error ? cause.message : "no cause"}`;
}

it.each([
  ["full, with syncs in other threads", { intervalMs: undefined, pace: elsewhere }],
  ["full, with syncs in the thread of the event loop", { intervalMs: undefined, pace: inThread }],
  ["an interval", { intervalMs: 1, pace: elsewhere }],
])(
  "stops for good at the first step of the disk that fails, and has all that it has acknowledged when it is opened again: %s",
  { timeout: 120_000 },
  async (_, { intervalMs, pace }) => {
    const unharmed = createFakeDisk();
    const { store: first } = await openOn(unharmed, { intervalMs, pace });
    await work(unharmed, first, 14);
    const seen: string[] = [];
    for (let number = 1; number < unharmed.steps.length; number += 1) {
      const disk = createFakeDisk(undefined, failingAt(number, codes[number % 2] ?? "EIO"));
      const opened = await openOn(disk, { intervalMs, pace }).catch(() => undefined);
      const failure = opened && work(disk, opened.store, 14).catch((error: unknown) => error);
      if (opened !== undefined && (await failure) !== undefined) {
        // Neither a write nor a read goes on: a read could return what the disk does not have.
        const calls = [opened.store.start([{ starts: [jobOf("late")] }], {}), opened.store.getChains(["late"], {})];
        const later = await Promise.all(calls.map((call) => call.catch((error: unknown) => error)));
        seen.push(...[await failure, ...later].map(toText));
      }
      const steps = [...disk.steps];
      await opened?.store.close().catch(() => {});
      const left =
        intervalMs === undefined
          ? [afterKill(steps), afterPowerLoss(steps, () => Math.random() < 0.5)]
          : [afterKill(steps)];
      for (const files of left) {
        const { store } = await openOn(createFakeDisk(files));
        expect(await lostIn(store, steps)).toEqual([]);
      }
    }
    expect(seen.length).toBeGreaterThan(60);
    expect(new Set(seen)).toEqual(new Set(codes.map((code) => `store-unavailable unknown ${code}`)));
  },
);

it.each(paces)(
  "acknowledges nothing before the disk has it, and rejects it when the sync fails: %s",
  async (_, pace) => {
    let isBroken = false;
    const disk = createFakeDisk(undefined, (kind) => {
      if (isBroken && kind === "sync") throw Object.assign(new Error("EIO"), { code: "EIO" });
    });
    const { store } = await openOn(disk, { pace, roomBytes: 10_000 });
    isBroken = true;
    const start = store.start([{ starts: [jobOf("a")] }], {});
    // It is seen by others, and they wait as well.
    const read = store.getChains(["a"], {});
    await expect(start).rejects.toMatchObject({ code: "store-unavailable", details: { outcome: "unknown" } });
    await expect(read).rejects.toMatchObject({ code: "store-unavailable" });
  },
);

it("a read that sees what is on its way to the disk waits for it", async () => {
  let isBroken = false;
  const disk = createFakeDisk(undefined, (kind) => {
    if (isBroken && kind === "sync") throw Object.assign(new Error("EIO"), { code: "EIO" });
  });
  const { store } = await openOn(disk);
  isBroken = true;
  const { length } = disk.steps;
  const start = store.start([{ starts: [jobOf("a")] }], {});
  start.catch(() => {});
  // It is written, and its sync is not over.
  while (disk.steps.length === length) await Promise.resolve();
  await expect(store.getChains(["a"], {})).rejects.toMatchObject({ code: "store-unavailable" });
});

it("writes nothing of a transaction that is rolled back, and all of one that commits in one record", async () => {
  const disk = createFakeDisk();
  const { store } = await openOn(disk);
  const writes = () => disk.steps.filter(({ kind }) => kind === "write").length;
  const before = writes();
  const rolledBack = store.transaction(async (tx) => {
    await store.start([{ starts: [jobOf("a")] }], { tx });
    throw new Error("no");
  });
  await expect(rolledBack).rejects.toThrow("no");
  expect(writes()).toBe(before);
  await store.transaction(async (tx) => {
    await store.start([{ starts: [jobOf("b")] }], { tx });
    // Another call undoes what is not committed, and it is done again.
    await store.getChains(["b"], {});
    await store.start([{ starts: [jobOf("c")] }], { tx });
  });
  expect(writes()).toBe(before + 1);
  const { store: again } = await openOn(createFakeDisk(afterKill(disk.steps)));
  expect((await again.getChains(["a", "b", "c"], {})).map((chain) => chain?.id)).toEqual([undefined, "b", "c"]);
});

it("writes nothing for a renewal and a heartbeat", async () => {
  const disk = createFakeDisk();
  const { store } = await openOn(disk);
  await store.start([{ starts: [jobOf("a")] }], {});
  const claim = { workerId: "w", types: [{ typeName: "a", leaseMs: 60_000 }], limit: 1 };
  const { claimed } = await store.exchange({ outcomes: [], claim }, {});
  const { length } = disk.steps;
  const held = claimed.map(({ id, fence }) => ({ jobId: id, fence, leaseMs: 90_000 }));
  expect(await store.renew({ workerId: "w", held }, {})).toEqual([]);
  const said = { workerId: "w", name: "w", typeNames: ["a"], concurrency: 1, holds: 1, aliveForMs: 1_000 };
  await store.heartbeat(said, {});
  expect(disk.steps.length).toBe(length);
});
