import { describe, expect, it } from "vitest";
import { createErasedClient } from "../../src/client/erased-client.ts";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";
import type { JobTypeDefinition, SchemaLike } from "../../src/model/job-type.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { createRig } from "../rig.ts";

const hour = 3_600_000;
const input: SchemaLike = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };

function clientOf(definitions: Readonly<Record<string, JobTypeDefinition>> | undefined) {
  const clock = createVirtualClock();
  const stateAdapter = createInProcessStateAdapter({ clock });
  return createErasedClient({ stateAdapter, jobTypes: { definitions }, clock, observers: [] }).client;
}

describe("a type with required blockers", () => {
  const client = clientOf({
    reserve: { entry: true, input },
    charge: { entry: true, input, blockers: ["reserve"] },
    choice: { entry: true, input, blockers: [{ anyOf: ["reserve"] }, { rest: "reserve" }] },
    collect: { entry: true, input, blockers: [{ rest: "reserve" }] },
  });
  const item = (typeName: string) => ({ id: typeName, typeName, input: {}, everyMs: hour });

  it.each(["charge", "choice"])("is refused by each call that would schedule %s", async (typeName) => {
    const refusal = {
      code: "invalid-input",
      message: expect.stringContaining(`"${typeName}" waits for blockers; a schedule cannot give them`) as unknown,
    };
    await expect(client.createSchedule(item(typeName))).rejects.toMatchObject(refusal);
    await expect(client.applySchedules({ owner: "o", schedules: [item(typeName)] })).rejects.toMatchObject(refusal);
    const { id } = await client.createSchedule({ ...item("reserve"), id: `before ${typeName}` });
    await expect(client.updateSchedule({ id, typeName, input: {} })).rejects.toMatchObject(refusal);
  });

  it("is scheduled if it takes any number of blockers, or if types alone declare it", async () => {
    expect(await client.createSchedule(item("collect"))).toMatchObject({ typeName: "collect" });
    expect(await clientOf(undefined).createSchedule(item("charge"))).toMatchObject({ typeName: "charge" });
  });
});

describe("a type with a whenStopped", () => {
  const types = { trip: { entry: true, input, whenStopped: "sorry" }, sorry: { entry: true, input } };
  const every = { id: "s", typeName: "trip", input: {}, everyMs: hour };
  const followed = async (client: ReturnType<typeof clientOf>): Promise<unknown> => {
    const { id } = await client.triggerSchedule({ id: "s" });
    const chain = { id: String(id) };
    await client.cancelChains({ items: [chain] });
    return (await client.getChain(chain))?.["compensations"];
  };
  const sorry = [{ typeName: "sorry", kind: "when-stopped" }];

  it("is followed by what its definition says", async () => {
    const client = clientOf(types);
    await client.createSchedule(every);
    expect(await followed(client)).toMatchObject(sorry);
    await expect(client.createSchedule({ ...every, id: "t", whenStopped: "trip" })).rejects.toThrow("whenStopped");
  });

  it("is followed by what the schedule names, if types alone declare it, until it has another type", async () => {
    const client = clientOf(undefined);
    await client.createSchedule({ ...every, whenStopped: "sorry" });
    expect(await followed(client)).toMatchObject(sorry);
    await client.updateSchedule({ id: "s", typeName: "plain", input: {} });
    expect(await followed(client)).toEqual([]);
    await client.updateSchedule({ id: "s", typeName: "trip", input: {}, whenStopped: "sorry" });
    expect(await followed(client)).toMatchObject(sorry);
    await expect(client.updateSchedule({ id: "s", whenStopped: "other" })).rejects.toThrow("typeName");
  });

  it("is followed when a tick starts its chain", async () => {
    const rig = createRig();
    await rig.client.createSchedule({ id: "s", typeName: "idle", input: null, everyMs: hour, whenStopped: "sorry" });
    const worker = rig.createWorker();
    await worker.start();
    await rig.clock.advance(hour + 1_000);
    const [tick] = await rig.store.listTicks({ scheduleIds: ["s"], before: undefined, limit: 1 }, {});
    await rig.client.cancelChains({ items: [{ id: tick?.chainId ?? "" }] });
    expect((await rig.client.getChain({ id: tick?.chainId ?? "" }))?.["compensations"]).toMatchObject(sorry);
    await worker.stop();
  });
});

describe('with overlap: "skip"', () => {
  const createStage = () => {
    const rig = createRig();
    const every = { id: "s", typeName: "idle", input: null, everyMs: hour, overlap: "skip" as const };
    const reasons = async () =>
      (await rig.store.listTicks({ scheduleIds: ["s"], before: undefined, limit: 100 }, {})).map(
        ({ reason }) => reason,
      );
    return { ...rig, every, reasons };
  };

  it("a trigger starts while the chain of a tick is active, and the next tick does not wait for a trigger", async () => {
    const { client, clock, createWorker, every, reasons } = createStage();
    await client.createSchedule(every);
    const first = await client.triggerSchedule({ id: "s" });
    const worker = createWorker();
    await worker.start();
    await clock.advance(hour + 1_000);
    expect(await reasons()).toEqual([undefined]);
    const second = await client.triggerSchedule({ id: "s" });
    expect(second["id"]).not.toBe(first["id"]);
    expect((await client.listChains({ status: "active" })).items).toHaveLength(3);
    await worker.stop();
  });

  it("a backfill starts also the ticks that were left out, all at once, and the next tick does not wait for them", async () => {
    const { client, clock, createWorker, every, reasons } = createStage();
    const { nextAt } = await client.createSchedule(every);
    const worker = createWorker();
    await worker.start();
    await clock.advance(3 * hour + 1_000);
    expect(await reasons()).toEqual(["overlap", "overlap", undefined]);
    const from = nextAt ?? new Date(0);
    const filled = await client.backfillSchedule({ id: "s", from, until: new Date(clock.now()) });
    expect(filled).toMatchObject({ known: 1, started: [{}, {}] });
    const [chainId] = await lastChains(client);
    await client.cancelChain({ id: chainId ?? "" });
    await clock.advance(hour);
    expect(await reasons()).toEqual([undefined, undefined, undefined, undefined]);
    await worker.stop();
  });
});

/** The chain of the latest tick that a worker wrote. */
async function lastChains(client: ReturnType<typeof createRig>["client"]): Promise<readonly string[]> {
  return (await client.listSchedules({})).items.flatMap(({ lastChainId }) => lastChainId ?? []);
}
