import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { betterSqlite3 } from "@chainwright/sqlite/better-sqlite3";
import type { StateAdapter } from "chainwright";
import type { JobLimit, JobStart, Outcome } from "chainwright/adapter";
import { afterAll, describe, expect, it } from "vitest";
import { openLastRelease } from "./last-release.ts";

/*
 * The last release knows nothing of limits. Its processes may take limited jobs over, end them and put them back, and every place
 * goes back with that; they never begin one without a place.
 */

const folder = mkdtempSync(join(tmpdir(), "chainwright-last-release-limits-"));
const last = await openLastRelease(folder);
afterAll(() => rmSync(folder, { recursive: true }));

const acme: JobLimit = { limit: "tenant", key: "acme" };

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
    limits: [acme],
    ...details,
  };
}

interface Beside {
  /** Of this release. */
  readonly ours: StateAdapter;
  /** Of the last one, on the same store. */
  readonly theirs: StateAdapter;
  start(...starts: readonly JobStart[]): Promise<void>;
  /** What an adapter claims. */
  claim(
    by: StateAdapter,
    leaseMs?: number,
    type?: string,
  ): Promise<readonly { readonly id: string; readonly fence: number }[]>;
  running(): Promise<number | undefined>;
}

async function beside(): Promise<Beside> {
  const path = join(folder, `${randomUUID()}.sqlite`);
  const theirs = last.createSqliteStateAdapter({ driver: last.betterSqlite3(path), durability: "off" });
  await theirs.migrate();
  const ours = createSqliteStateAdapter({ driver: betterSqlite3(path), durability: "off" });
  await ours.migrate();
  const rule = { concurrency: 1, rate: undefined };
  await ours.changeLimits([{ kind: "declare", limit: "tenant", rule, codeVersion: undefined }], {});
  return {
    ours,
    theirs,
    start: async (...starts) => void (await ours.start([{ starts }], {})),
    claim: async (by, leaseMs = 60_000, typeName = "a") => {
      const claim = { workerId: "w", types: [{ typeName, leaseMs }], limit: 10, limited: true };
      return (await by.exchange({ outcomes: [], claim }, {})).claimed;
    },
    running: async () => (await ours.listLimits({ keys: [acme], limit: 1 }, {}))[0]?.running,
  };
}

type Claimed = Awaited<ReturnType<Beside["claim"]>>[number];

const fence = ({ id, fence: number }: Claimed) => ({ jobId: id, workerId: "w", fence: number });
const completed = (job: Claimed): Outcome => ({ target: fence(job), kind: "completed", output: "1" });
const deferred = (job: Claimed, afterMs?: number): Outcome => ({
  target: fence(job),
  kind: "deferred",
  schedule: afterMs === undefined ? undefined : { afterMs },
  counted: true,
  errors: undefined,
});
const only = ([job]: readonly Claimed[]): Claimed => {
  if (job === undefined) throw new Error("no job was claimed");
  return job;
};

describe("the last release on a SQLite file with limits", () => {
  it("begins no job under a limit, and puts due ones into their lane", async () => {
    const { ours, theirs, start: begin, claim } = await beside();
    const jobs = [start(), start()];
    await begin(...jobs, start({ limits: undefined }));
    expect(await claim(theirs)).toHaveLength(1);
    expect((await claim(ours)).map(({ id }) => id)).toEqual([jobs[0]?.id]);
    expect(await claim(theirs)).toEqual([]);
  });

  it("takes a job over with its place, and gives the place back when it ends the job", async () => {
    const { ours, theirs, start: begin, claim, running } = await beside();
    const jobs = [start(), start()];
    await begin(...jobs);
    expect(await claim(ours, 0)).toHaveLength(1);
    const taken = only(await claim(theirs));
    expect([taken.id, await running()]).toEqual([jobs[0]?.id, 1]);
    expect(await claim(ours)).toEqual([]);
    await theirs.settle([completed(taken)], {});
    expect(await running()).toBe(0);
    expect((await claim(ours)).map(({ id }) => id)).toEqual([jobs[1]?.id]);
  });

  it.each([undefined, 1])(
    "gives the place back when it puts a job back for %s ms, and does not begin it again",
    async (afterMs) => {
      const { ours, theirs, start: begin, claim, running } = await beside();
      const jobs = [start(), start()];
      await begin(...jobs);
      await claim(ours, 0);
      await theirs.settle([deferred(only(await claim(theirs)), afterMs)], {});
      expect(await running()).toBe(0);
      await new Promise((resolve) => void setTimeout(resolve, 5));
      expect(await claim(theirs)).toEqual([]);
      expect(await claim(ours)).toHaveLength(1);
      expect(await claim(ours)).toEqual([]);
    },
  );

  it("gives the place back when it cancels, completes or deletes a chain that is running", async () => {
    const { ours, theirs, start: begin, claim, running } = await beside();
    const jobs = [start(), start(), start()];
    await begin(...jobs);
    const [first, second, third] = jobs.map(({ id }) => id);
    await claim(ours);
    await theirs.cancel([{ chainId: first ?? "", reason: undefined }], {});
    expect([await running(), only(await claim(ours)).id]).toEqual([0, second]);
    await theirs.settle([{ target: { chainId: second ?? "", typeName: "a" }, kind: "completed", output: "1" }], {});
    expect([await running(), only(await claim(ours)).id]).toEqual([0, third]);
    await theirs.remove({ chainIds: [third ?? ""], cascade: false }, {});
    expect(await running()).toBe(0);
  });

  it("makes jobs ready that were scheduled, blocked or had failed, and they wait for a place like others", async () => {
    const { ours, theirs, start: begin, claim, running } = await beside();
    const blocker = start({ limits: undefined, typeName: "b" });
    const failed = start();
    await begin(blocker, failed);
    await ours.settle([{ target: fence(only(await claim(ours))), kind: "failed", errors: "[]" }], {});
    const holder = start();
    await begin(holder);
    await claim(ours);
    const blocked = start({ blockers: [{ chainId: blocker.id, typeName: undefined }] });
    const scheduled = start({ schedule: { afterMs: 60_000 } });
    await begin(blocked, scheduled);
    await theirs.trigger([scheduled.id], {});
    await theirs.retry([{ chainId: failed.id, input: undefined, typeName: undefined }], {});
    await theirs.settle([completed(only(await claim(theirs, 60_000, "b")))], {});
    expect(await claim(theirs)).toEqual([]);
    expect([await claim(ours), await running()]).toEqual([[], 1]);
    const begun: string[] = [];
    await ours.cancel([{ chainId: holder.id, reason: undefined }], {});
    for (let n = 0; n < 3; n++) {
      const job = only(await claim(ours));
      begun.push(job.id);
      await theirs.settle([completed(job)], {});
    }
    expect(begun.toSorted()).toEqual([blocked.id, scheduled.id, failed.id].toSorted());
  });

  it("keeps the place of a job that holds it for a retry", async () => {
    const { ours, theirs, start: begin, claim, running } = await beside();
    const jobs = [start({ limits: [{ ...acme, holds: true }] }), start({ limits: [{ ...acme, holds: true }] })];
    await begin(...jobs);
    await claim(ours, 0);
    await theirs.settle([deferred(only(await claim(theirs)), 1)], {});
    expect(await running()).toBe(1);
    await new Promise((resolve) => void setTimeout(resolve, 5));
    expect(await claim(theirs)).toEqual([]);
    expect((await claim(ours)).map(({ id }) => id)).toEqual([jobs[0]?.id]);
    expect([await claim(ours), await running()]).toEqual([[], 1]);
  });
});
