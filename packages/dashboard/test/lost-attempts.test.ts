import { createClient, createProcessors, createWorker, defineJobTypes } from "chainwright";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDashboard } from "../src/create-dashboard.ts";
import type { LostWorkersResponse } from "../src/protocol/overview.ts";
import type { ChainResponse } from "../src/protocol/reads.ts";
import { stores } from "./stores.ts";

interface Types {
  readonly work: { entry: true; input: number; output: null };
}

const jobTypes = defineJobTypes<Types>();

for (const { name, isMissing, open } of stores) {
  describe.skipIf(isMissing)(`a job whose worker died, ${name}`, () => {
    const setUp = async () => {
      const state = await open();
      const client = createClient({ stateAdapter: state, jobTypes, observers: [] });
      const dashboard = createDashboard({ client, authorize: () => ({ role: "viewer" }) });
      onTestFinished(() => client.close());
      const { id } = await client.startChain({ typeName: "work", input: 1 });
      /** A worker claims it some time ago for a second, and is never heard of again. */
      const die = async (workerId: string, agoMs: number) => {
        const claim = { workerId, types: [{ typeName: "work", leaseMs: 1_000 }], limit: 1 };
        await state.exchange({ outcomes: [], claim }, { now: Date.now() - agoMs });
      };
      const beat = async (workerId: string, agoMs: number) => {
        const said = { workerId, name: `host of ${workerId}`, typeNames: ["work"], concurrency: 1, holds: 1 };
        await state.heartbeat({ ...said, aliveForMs: 20_000 }, { now: Date.now() - agoMs });
      };
      const lost = async () => {
        const response = await dashboard.fetch(new Request("http://localhost/-/lost"));
        return (await response.json()) as LostWorkersResponse;
      };
      const read = async () => {
        const response = await dashboard.fetch(new Request(`http://localhost/-/chain?id=${id}`));
        return (await response.json()) as ChainResponse;
      };
      return { client, id, die, beat, lost, read };
    };

    it("has an attempt that its worker took with it, by name and time", async () => {
      const { die, read } = await setUp();
      await die("w-1", 60_000);
      const { lastStep, explanation } = await read();
      expect(lastStep).toMatchObject({
        status: "ready",
        attempt: 1,
        errors: [],
        lostAttempts: [{ attempt: 1, workerId: "w-1", startedAt: expect.any(Number), leasedUntil: expect.any(Number) }],
      });
      expect(explanation?.summary).toMatch(
        /Attempt 1 never reported a result: the lease of worker w-1 ran out at \S+Z, so it probably died, or could not renew it in time\.$/,
      );
    });

    it("names its lost worker also when another one has it, and the lost worker names the job", async () => {
      const { id, die, beat, lost, read } = await setUp();
      expect(await lost()).toMatchObject({ workers: [], more: 0 });
      await beat("w-1", 60_000);
      await die("w-1", 60_000);
      await beat("w-2", 45_000);
      await die("w-2", 30_000);
      const { lastStep, explanation } = await read();
      expect(lastStep?.lostAttempts).toEqual([
        expect.objectContaining({
          attempt: 1,
          workerId: "w-1",
          workerName: "host of w-1",
          leasedUntil: expect.any(Number),
        }),
        expect.objectContaining({
          attempt: 2,
          workerId: "w-2",
          workerName: "host of w-2",
          leasedUntil: expect.any(Number),
        }),
      ]);
      expect(explanation?.summary).toContain("worker host of w-1 (w-1) was lost with it, last seen at");
      const { workers } = await lost();
      const now = { chainId: id, typeName: "work", status: "ready" };
      expect(workers).toMatchObject([
        { id: "w-2", name: "host of w-2", held: [] },
        { id: "w-1", name: "host of w-1", heldCount: 1, held: [{ id: expect.any(String), attempt: 1, now }] },
      ]);
    });

    it("still has it when the next attempt has completed", async () => {
      const { client, id, die, read } = await setUp();
      await die("w-1", 60_000);
      await die("w-2", 30_000);
      const { explanation } = await read();
      expect(explanation?.summary).toContain("Attempt 1 never reported a result: its worker probably died");
      expect(explanation?.summary).toContain("Attempt 2 never reported a result: the lease of worker w-2 ran out");
      const processors = createProcessors({ client, jobTypes, processors: { work: async () => null } });
      const worker = createWorker({ client, processors: [processors] });
      await worker.start();
      await client.awaitChain({ id });
      await worker.stop();
      const { lastStep } = await read();
      expect(lastStep?.status).toBe("completed");
      expect(lastStep?.lostAttempts.map(({ attempt }) => attempt)).toEqual([1, 2]);
    });
  });
}
