import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { betterSqlite3 } from "@chainwright/sqlite/better-sqlite3";
import Database from "better-sqlite3";
import type { StateAdapter } from "chainwright";
import type { ClaimedJob, JobStart, SentSignal } from "chainwright/adapter";
import { afterAll, describe, expect, it } from "vitest";
import { openLastRelease } from "./last-release.ts";

/*
 * The last release knows nothing of signals. Its processes never claim a job that waits before its time is over; they may promote it
 * then, and end, retry and delete it.
 */

const folder = mkdtempSync(join(tmpdir(), "chainwright-last-release-signals-"));
const last = await openLastRelease(folder);
afterAll(() => rmSync(folder, { recursive: true }));

function waiting(afterMs: number | undefined, details: Partial<JobStart> = {}): JobStart {
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
    waits: { until: afterMs === undefined ? undefined : { afterMs }, topics: ["t"] },
    ...details,
  };
}

const sent: SentSignal = { typeName: "a", signal: "s", payload: "1", signalId: undefined, context: undefined };
const later = { now: Date.now() + 100_000 };

interface Beside {
  readonly path: string;
  /** Of this release. */
  readonly ours: StateAdapter;
  /** Of the last one, on the same store. */
  readonly theirs: StateAdapter;
}

async function beside(): Promise<Beside> {
  const path = join(folder, `${randomUUID()}.sqlite`);
  const theirs = last.createSqliteStateAdapter({ driver: last.betterSqlite3(path), durability: "off" });
  await theirs.migrate();
  const ours = createSqliteStateAdapter({ driver: betterSqlite3(path), durability: "off" });
  await ours.migrate();
  return { path, ours, theirs };
}

async function claim(by: StateAdapter, options = {}): Promise<readonly ClaimedJob[]> {
  const request = { workerId: "w", types: [{ typeName: "a", leaseMs: 60_000 }], limit: 10 };
  return (await by.exchange({ outcomes: [], claim: request }, options)).claimed;
}

async function delivered(by: StateAdapter, chainId: string): Promise<unknown> {
  const reply = await by.signal([{ ...sent, chainId }], {});
  return reply.ok ? reply.value[0]?.delivered : reply.refusal.code;
}

const published = { ...sent, topic: "t", signalId: "published", keepMs: 0 };

describe("the last release on a SQLite file with jobs that wait for signals", () => {
  it("claims none of them before its time, and a signal still wakes it", async () => {
    const { ours, theirs } = await beside();
    const jobs = [waiting(undefined), waiting(60_000)];
    await ours.start([{ starts: jobs }], {});
    expect(await claim(theirs)).toEqual([]);
    for (const { id } of jobs) expect(await delivered(ours, id)).toBe("taken");
    expect((await claim(ours)).map(({ received }) => received?.map(({ signal }) => signal))).toEqual([["s"], ["s"]]);
  });

  it("promotes one whose time is over, which then has received nothing, takes no signal and hears no topic", async () => {
    const { ours, theirs } = await beside();
    const job = waiting(60_000);
    await ours.start([{ starts: [job] }], {});
    const other = { workerId: "w", types: [{ typeName: "other", leaseMs: 60_000 }], limit: 10 };
    await theirs.exchange({ outcomes: [], claim: other }, later);
    expect(await delivered(ours, job.id)).toBe("buffered");
    expect(await ours.signal([published], {})).toMatchObject({ value: [{ reached: 0 }] });
    expect((await claim(ours)).map(({ id, received }) => [id, received])).toEqual([[job.id, []]]);
  });

  it("puts one back after an attempt, and it is scheduled then, not waiting", async () => {
    const { ours, theirs } = await beside();
    const job = waiting(60_000);
    await ours.start([{ starts: [job] }], {});
    const [claimed] = await claim(theirs, later);
    const target = { jobId: job.id, workerId: "w", fence: claimed?.fence ?? 0 };
    await theirs.settle(
      [{ target, kind: "deferred", schedule: { afterMs: 60_000 }, counted: true, errors: undefined }],
      {},
    );
    expect((await ours.getJobs([job.id], {}))[0]?.status).toBe("scheduled");
    expect(await delivered(ours, job.id)).toBe("buffered");
    expect(await ours.signal([published], {})).toMatchObject({ value: [{ reached: 0 }] });
  });

  it("runs one that it retries with what the job had received, if a process of this release claims it", async () => {
    const { ours, theirs } = await beside();
    const job = waiting(undefined);
    await ours.start([{ starts: [job] }], {});
    await delivered(ours, job.id);
    const [claimed] = await claim(ours);
    const target = { jobId: job.id, workerId: "w", fence: claimed?.fence ?? 0 };
    await ours.settle([{ target, kind: "failed", errors: "[]" }], {});
    await theirs.retry([{ chainId: job.id, input: undefined, typeName: undefined }], {});
    expect((await claim(ours)).map(({ received }) => received?.length)).toEqual([1]);
  });

  it("ends and deletes chains that wait, and leaves nothing that a later chain could take", async () => {
    const { path, ours, theirs } = await beside();
    const jobs = [waiting(undefined), waiting(60_000), waiting(60_000)];
    const [first, second, third] = jobs.map(({ id }) => id);
    await ours.start([{ starts: jobs }], {});
    for (const { id } of jobs) await ours.signal([{ ...sent, typeName: "b", chainId: id }], {});
    await theirs.settle([{ target: { chainId: first ?? "", typeName: "a" }, kind: "completed", output: "1" }], {});
    await theirs.cancel([{ chainId: second ?? "", reason: undefined }], {});
    expect(await ours.signal([published], {})).toMatchObject({ value: [{ reached: 1 }] });
    await theirs.remove({ chainIds: [first ?? "", second ?? "", third ?? ""], cascade: false }, {});
    const own = new Database(path);
    for (const table of ["signal", "topic"])
      expect(own.prepare(`select count(*) from chainwright_${table}`).pluck().get()).toBe(0);
    own.close();
    const next = waiting(undefined, { typeName: "b" });
    await ours.start([{ starts: [next] }], {});
    expect((await ours.getJobs([next.id], {}))[0]?.status).toBe("waiting");
  });
});
