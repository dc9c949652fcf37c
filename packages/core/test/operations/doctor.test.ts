import {
  createClient,
  createInProcessNotifyAdapter,
  defineJobTypes,
  type Clock,
  type DoctorFinding,
  type DoctorOptions,
  type StateAdapter,
} from "chainwright";
import type { Hint, WorkerRecord } from "chainwright/adapter";
import { createVirtualClock } from "chainwright/testing";
import { describe, expect, it } from "vitest";
import { openInProcess } from "../in-process/backend.ts";

const jobTypes = defineJobTypes<{ work: { entry: true; input: number; output: number } }>();

/** A client of a store with a door for faults, and with so many chains whose open jobs are lost. */
async function createScene(
  lost = 0,
  change: (adapter: StateAdapter) => StateAdapter = (adapter) => adapter,
  clock?: Clock,
) {
  const { adapter, planting } = await openInProcess();
  if (planting === undefined) throw new Error("there is a door for faults");
  const heard: Hint[] = [];
  const notifyAdapter = createInProcessNotifyAdapter();
  await notifyAdapter.subscribe({
    onMessage: ({ hints }) => void heard.push(...hints),
    onLost: () => {},
    onRestored: () => {},
  });
  const client = createClient({ stateAdapter: change(adapter), notifyAdapter, jobTypes, clock });
  const chains = await client.startChains({
    items: Array.from({ length: lost }, (_, input) => ({ typeName: "work", input }) as const),
  });
  for (const { id } of chains) await planting.loseOpenJob(id);
  return { client, planting, heard, ids: chains.map(({ id }) => id) };
}

const statusesOf = (findings: readonly DoctorFinding[]) => [...new Set(findings.map(({ status }) => status))];

describe("client.doctor", () => {
  it("reports no fault in a healthy store, and that all checks are complete", async () => {
    const { client } = await createScene();
    await client.startChain({ typeName: "work", input: 1 });
    expect(await client.doctor()).toEqual({
      findings: [],
      completed: ["jobs", "leases", "blockers", "keys", "counts", "schema"],
      uncounted: false,
      advice: [],
      nextCursor: undefined,
    });
  });

  it("advises to have fewer workers with more slots if there are many workers with few", async () => {
    const workers = (count: number, concurrency: number): readonly WorkerRecord[] =>
      Array.from({ length: count }, (_, n) => {
        const id = `worker-${n}`;
        return {
          id,
          name: id,
          typeNames: ["work"],
          concurrency,
          schemaVersion: 1,
          packageVersion: undefined,
          codeVersion: undefined,
          versions: {},
          pools: [null],
          holds: 0,
          startedAt: 0,
          lastSeenAt: 0,
        };
      });
    const adviceOn = async (live: readonly WorkerRecord[]): Promise<readonly string[]> => {
      const { client } = await createScene(0, (adapter) => ({ ...adapter, listWorkers: async () => live }));
      return (await client.doctor()).advice;
    };
    expect(await adviceOn(workers(200, 1))).toEqual([
      "200 workers have 200 slots together. Fewer workers with more slots (concurrency) run more jobs with fewer connections.",
    ]);
    expect(await adviceOn(workers(50, 1))).toEqual([]);
    expect(await adviceOn(workers(200, 5))).toEqual([]);
  });

  it("reports the faults and what a repair would do, and changes nothing", async () => {
    const { client, ids } = await createScene(1);
    for (let time = 0; time < 2; time += 1) {
      const { findings } = await client.doctor();
      expect(findings).toEqual([
        {
          kind: "chain-without-open-job",
          id: ids[0],
          chainId: ids[0],
          typeName: "work",
          problem: `chain ${ids[0]} is active, but its open job is not in the queue: no worker will ever claim it.`,
          status: "repairable",
          remedy: "repair: true puts the job back into the queue; its attempts are counted from 1 again.",
        },
      ]);
    }
  });

  it("repairs each fault that it finds, and sends workers a hint to look", async () => {
    const { client, ids, heard } = await createScene(3);
    const { findings } = await client.doctor({ repair: true });
    expect(findings.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(statusesOf(findings)).toEqual(["repaired"]);
    expect((await client.doctor()).findings).toEqual([]);
    await expect.poll(() => heard).toContainEqual({ kind: "look" });
  });

  it("stops at its limit, and continues from there with its cursor", async () => {
    const { client, ids } = await createScene(2_500);
    const found: string[] = [];
    let cursor: string | undefined;
    let reports = 0;
    do {
      const report = await client.doctor({ limit: 1, cursor });
      found.push(...report.findings.map(({ id }) => id));
      cursor = report.nextCursor;
      reports += 1;
    } while (cursor !== undefined);
    expect(found.toSorted()).toEqual(ids.toSorted());
    expect(reports).toBeGreaterThan(2);
  });

  it("stops at its time limit, and continues from there with its cursor", async () => {
    const clock = createVirtualClock();
    const asked: string[] = [];
    const slow = (adapter: StateAdapter): StateAdapter => ({
      ...adapter,
      inspect: async (request, options) => {
        asked.push(request.check);
        await clock.advance(400);
        return adapter.inspect(request, options);
      },
    });
    const { client } = await createScene(0, slow, clock);
    const { nextCursor, completed } = await client.doctor({ timeLimitMs: 1_000 });
    expect([asked, completed]).toEqual([
      ["jobs", "leases", "blockers"],
      ["jobs", "leases", "blockers"],
    ]);
    const rest = await client.doctor({ timeLimitMs: 10_000, cursor: nextCursor });
    expect(rest.nextCursor).toBeUndefined();
    expect(asked.slice(3)).toEqual(["keys", "counts", "schema"]);
  });

  it("skips faults that are gone before the repair, and reports those that are busy or fail", async () => {
    const outcomes = ["gone", "busy", "left"] as const;
    let at = 0;
    const { client } = await createScene(4, (adapter) => ({
      ...adapter,
      repair: async () => {
        const outcome = outcomes[at];
        at += 1;
        if (outcome === undefined) throw new Error("permission denied");
        return [outcome];
      },
    }));
    const { findings } = await client.doctor({ repair: true });
    expect(findings.map(({ status, remedy }) => [status, remedy])).toEqual([
      ["busy", "running work has it locked; run doctor again."],
      ["manual", "cancel or delete the chain."],
      ["failed", "the repair failed: permission denied"],
    ]);
  });

  it("makes the requested checks, in its own order", async () => {
    const { client, planting } = await createScene(1);
    await planting.addToCount("work", 3);
    const { findings, completed } = await client.doctor({ checks: ["counts", "keys"] });
    expect(completed).toEqual(["keys", "counts"]);
    expect(findings.map(({ kind, problem }) => [kind, problem])).toEqual([
      ["wrong-count", 'the store counts 3 jobs of "work" as completed; there are 0.'],
    ]);
  });

  it.each([
    { repair: "yes" },
    { checks: [] },
    { checks: ["everything"] },
    { checks: "jobs" },
    { limit: 0 },
    { limit: 10_001 },
    { timeLimitMs: 0 },
    { cursor: "nonsense" },
    { cursor: '["counts",null]', checks: ["jobs"] },
    { cursor: '["jobs",5]' },
    { fix: true },
  ])("refuses %j", async (options) => {
    const { client } = await createScene();
    await expect(client.doctor(options as DoctorOptions)).rejects.toMatchObject({ code: "invalid-input" });
  });
});
