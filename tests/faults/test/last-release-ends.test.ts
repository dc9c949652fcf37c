import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { betterSqlite3 } from "@chainwright/sqlite/better-sqlite3";
import Database from "better-sqlite3";
import type { StateAdapter } from "chainwright";
import type { ClaimedJob, Compensation, Fence, JobStart } from "chainwright/adapter";
import { afterAll, describe, expect, it } from "vitest";
import { openLastRelease } from "./last-release.ts";

/*
 * The last release knows nothing of compensations. Its processes end chains that have them; upkeep of this release then does what
 * follows, once.
 */

const folder = mkdtempSync(join(tmpdir(), "chainwright-last-release-ends-"));
const last = await openLastRelease(folder);
afterAll(() => rmSync(folder, { recursive: true }));

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

const undo: Compensation = { typeName: "undo", input: "1", priority: 0, context: undefined };
const whenStopped = { typeName: "sorry", priority: 0 } as const;

async function beside() {
  const path = join(folder, `${randomUUID()}.sqlite`);
  const theirs: StateAdapter = last.createSqliteStateAdapter({ driver: last.betterSqlite3(path), durability: "off" });
  await theirs.migrate();
  const ours: StateAdapter = createSqliteStateAdapter({ driver: betterSqlite3(path), durability: "off" });
  await ours.migrate();
  return {
    path,
    ours,
    theirs,
    upkeep: (now?: number) =>
      ours.maintain({ chore: "workers", completedMs: undefined, failedMs: undefined, limit: 10 }, { now }),
    followUps: async (id: string) => {
      const [chain] = await ours.getChains([id], {});
      return chain?.followUps?.map(({ typeName }) => typeName);
    },
  };
}

const fenceOf = ({ id, fence }: ClaimedJob): Fence => ({ jobId: id, workerId: "w", fence });

async function claim(by: StateAdapter, typeName = "a"): Promise<ClaimedJob> {
  const request = { workerId: "w", types: [{ typeName, leaseMs: 60_000 }], limit: 1 };
  const [job] = (await by.exchange({ outcomes: [], claim: request }, {})).claimed;
  if (job === undefined) throw new Error("no job was claimed");
  return job;
}

/** A running attempt of a new chain whose step has recorded what undoes it. */
async function charged(ours: StateAdapter, details: Partial<JobStart> = {}) {
  await ours.start([{ starts: [start({ whenStopped, ...details })] }], {});
  const job = await claim(ours, details.typeName);
  await ours.compensate([{ target: fenceOf(job), compensation: undo }], {});
  return job;
}

describe("the last release on a SQLite file with chains that compensate", () => {
  it("fails a chain, and what follows it starts once, with the next upkeep of this release", async () => {
    const { ours, theirs, upkeep, followUps } = await beside();
    const job = await charged(ours);
    await theirs.settle([{ target: fenceOf(job), kind: "failed", errors: '[{"message":"broken"}]' }], {});
    expect(await followUps(job.chainId)).toBeUndefined();
    await upkeep();
    expect(await followUps(job.chainId)).toEqual(["undo", "sorry"]);
    await upkeep();
    expect(await followUps(job.chainId)).toEqual(["undo", "sorry"]);
    // The attempt has handed in, so nothing waits for its lease.
    expect((await claim(ours, "undo")).input).toBe("1");
  });

  it("cancels a chain, and what follows begins when the attempt hands in, or at the end of its lease", async () => {
    const { ours, theirs, upkeep } = await beside();
    const job = await charged(ours);
    await theirs.cancel([{ chainId: job.chainId, reason: undefined }], {});
    await upkeep();
    await expect(claim(ours, "undo")).rejects.toThrow("no job was claimed");
    const [reply] = await ours.settle([{ target: fenceOf(job), kind: "completed", output: "1" }], {});
    expect(reply).toMatchObject({ status: "lost", reason: "cancelled", ready: [{ typeName: "undo" }] });
    expect((await claim(ours, "undo")).typeName).toBe("undo");
  });

  it("completes a chain, and nothing follows it", async () => {
    const { ours, theirs, upkeep, followUps } = await beside();
    const job = await charged(ours);
    await theirs.settle([{ target: fenceOf(job), kind: "completed", output: "1" }], {});
    await upkeep();
    expect(await followUps(job.chainId)).toBeUndefined();
  });

  it("completes a blocker, and what undoes it passes to the chain that it was started for", async () => {
    const { ours, theirs, upkeep, followUps } = await beside();
    const parent = start({ blockers: [{ start: start({ typeName: "b" }) }] });
    await ours.start([{ starts: [parent] }], {});
    const blocker = await claim(ours, "b");
    await ours.compensate([{ target: fenceOf(blocker), compensation: undo }], {});
    await theirs.settle([{ target: fenceOf(blocker), kind: "completed", output: "1" }], {});
    // The chain stops before upkeep has come.
    await ours.cancel([{ chainId: parent.id, reason: undefined }], {});
    await upkeep();
    expect(await followUps(parent.id)).toEqual(["undo"]);
    expect(await followUps(blocker.chainId)).toBeUndefined();
  });

  it("cannot retry a chain whose follow-ups have started, and a process of this release withdraws them", async () => {
    const { ours, theirs, followUps } = await beside();
    const job = await charged(ours);
    await ours.settle([{ target: fenceOf(job), kind: "failed", errors: "[]" }], {});
    const item = { chainId: job.chainId, input: undefined, typeName: undefined };
    await expect(theirs.retry([item], {})).rejects.toThrow("with a process of the newer release");
    expect(await ours.retry([item], {})).toMatchObject({ ok: true });
    expect(await followUps(job.chainId)).toBeUndefined();
    const again = await claim(ours);
    await ours.settle([{ target: fenceOf(again), kind: "failed", errors: "[]" }], {});
    expect(await followUps(job.chainId)).toEqual(["undo", "sorry"]);
  });

  it("retries a chain that it has ended before upkeep has come, and nothing follows", async () => {
    const { ours, theirs, upkeep, followUps } = await beside();
    const job = await charged(ours);
    await theirs.settle([{ target: fenceOf(job), kind: "failed", errors: "[]" }], {});
    await theirs.retry([{ chainId: job.chainId, input: undefined, typeName: undefined }], {});
    await upkeep();
    expect(await followUps(job.chainId)).toBeUndefined();
  });

  it("ends and deletes chains with a deadline, and none of them is cancelled then", async () => {
    const { path, ours, theirs } = await beside();
    const chains = [start({ deadline: { afterMs: 1_000 } }), start({ deadline: { afterMs: 1_000 }, whenStopped })];
    await ours.start([{ starts: chains }], {});
    for (const { id } of chains) await theirs.cancel([{ chainId: id, reason: "theirs" }], {});
    await theirs.remove({ chainIds: [chains[1]?.id ?? ""], cascade: false }, {});
    // It may get the number of the chain that was deleted.
    const next = start();
    await ours.start([{ starts: [next] }], {});
    const request = { workerId: "w", types: [{ typeName: "x", leaseMs: 1_000 }], limit: 1, deadlines: true };
    const reply = await ours.exchange({ outcomes: [], claim: request }, { now: Date.now() + 10_000 });
    expect(reply.expired).toBeUndefined();
    const own = new Database(path);
    expect(own.prepare("select count(*) from chainwright_ending").pluck().get()).toBe(1);
    expect(own.prepare("select count(*) from chainwright_deadline").pluck().get()).toBe(0);
    own.close();
  });
});
