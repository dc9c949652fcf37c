import type { Compensation } from "chainwright/adapter";
import { expect, it } from "vitest";
import { jobStart, migratedStore } from "../store.ts";

const compensation: Compensation = { typeName: "undo", input: "1", priority: 0, context: undefined };
const claim = { workerId: "w", types: [{ typeName: "a", leaseMs: 60_000 }], limit: 1 };

/** A store with a chain whose only attempt runs and has recorded what undoes it. */
async function runningSaga() {
  const store = await migratedStore();
  await store.start([{ starts: [jobStart()] }], {});
  const [job] = (await store.exchange({ outcomes: [], claim }, {})).claimed;
  const [chainId, fence] = [job?.chainId ?? "", job?.fence ?? 0];
  const target = { jobId: chainId, workerId: "w", fence };
  await store.compensate([{ target, compensation }], {});
  const started = async () => {
    await store.maintain({ chore: "workers", completedMs: undefined, failedMs: undefined, limit: 10 }, {});
    const [chain] = await store.getChains([chainId], {});
    return chain?.followUps?.map(({ typeName }) => typeName);
  };
  return { store, chainId, target, started };
}

it("starts what follows a failed chain once, also after upkeep", async () => {
  const { store, target, started } = await runningSaga();
  await store.settle([{ target, kind: "failed", errors: "[]" }], {});
  expect(await started()).toEqual(["undo"]);
});

it("starts what follows a cancelled chain once, also after upkeep", async () => {
  const { store, chainId, started } = await runningSaga();
  await store.cancel([{ chainId, reason: undefined }], {});
  expect(await started()).toEqual(["undo"]);
});

it("starts nothing for a follow-up that a retry has withdrawn, also after upkeep", async () => {
  const { store, chainId, target, started } = await runningSaga();
  await store.compensate(
    [{ target, compensation: { ...compensation, whenStopped: { typeName: "sorry", priority: 0 } } }],
    {},
  );
  const [reply] = await store.settle([{ target, kind: "failed", errors: "[]" }], {});
  const followUp = reply?.status === "settled" ? (reply.followUps?.[0]?.chainId ?? "") : "";
  await store.retry([{ chainId, input: undefined, typeName: undefined }], {});
  expect(await started()).toBeUndefined();
  const [withdrawn] = await store.getChains([followUp], {});
  expect([withdrawn?.status, withdrawn?.followUps]).toEqual(["cancelled", undefined]);
});

it("starts what a step has recorded with its continuation into a job that fails at once", async () => {
  const { store, target, started } = await runningSaga();
  const broken = jobStart({ typeName: "b" });
  await store.start([{ starts: [broken] }], {});
  await store.cancel([{ chainId: broken.id, reason: undefined }], {});
  const next = jobStart({ typeName: "b", blockers: [{ chainId: broken.id, typeName: undefined }] });
  const later: Compensation = { ...compensation, typeName: "undo-later" };
  const [reply] = await store.settle([{ target, kind: "continued", next, compensation: later }], {});
  expect(reply).toMatchObject({ status: "settled", followUps: [{ typeName: "undo-later" }] });
  expect(await started()).toEqual(["undo-later"]);
});

it("starts what a step has recorded only then, with its continuation into a job that fails at once", async () => {
  const store = await migratedStore();
  const broken = jobStart({ typeName: "b" });
  await store.start([{ starts: [jobStart(), broken] }], {});
  await store.cancel([{ chainId: broken.id, reason: undefined }], {});
  const [job] = (await store.exchange({ outcomes: [], claim }, {})).claimed;
  const target = { jobId: job?.id ?? "", workerId: "w", fence: job?.fence ?? 0 };
  const next = jobStart({ typeName: "b", blockers: [{ chainId: broken.id, typeName: undefined }] });
  const [reply] = await store.settle([{ target, kind: "continued", next, compensation }], {});
  expect(reply).toMatchObject({ status: "settled", followUps: [{ typeName: "undo" }] });
});

it("cancels the chain whose deadline has passed, and leaves one with a later deadline alone", async () => {
  const store = await migratedStore();
  const starts = [jobStart({ deadline: { at: 2_000 } }), jobStart({ deadline: { at: 3_000 } })];
  await store.start([{ starts }], { now: 1_000 });
  const { expired } = await store.exchange({ outcomes: [], claim: { ...claim, deadlines: true } }, { now: 2_500 });
  expect(expired?.map(({ chainId }) => chainId)).toEqual([starts[0]?.id]);
});
