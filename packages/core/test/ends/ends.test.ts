import { afterEach, describe, expect, it } from "vitest";
import { createClient } from "../../src/client/create-client.ts";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";
import { FatalError } from "../../src/model/error.ts";
import { drain } from "../../src/testing/drain.ts";
import { defineJobTypes } from "../../src/types/define-job-types.ts";
import type { StoppedChain } from "../../src/types/stopped-chain.ts";
import { createProcessors } from "../../src/worker/create-processors.ts";
import { createWorker } from "../../src/worker/create-worker.ts";

interface Trip {
  readonly to: string;
}

const jobTypes = defineJobTypes<{
  "trip.book": { entry: true; input: Trip; continueWith: "flight.book"; whenStopped: "trip.apologise" };
  "flight.book": { input: Trip; continueWith: "hotel.book"; compensate: "flight.cancel" };
  "hotel.book": { input: Trip & { flight: string }; output: { hotel: string } };
  "flight.cancel": { entry: true; input: { flight: string }; output: null };
  "trip.apologise": { entry: true; input: StoppedChain<Trip>; output: null };
}>();

const said: string[] = [];

async function begin(hotel: () => Promise<{ hotel: string }>, flight: () => Promise<void> = async () => {}) {
  said.length = 0;
  const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes });
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      "trip.book": async ({ job, continueWith }) => continueWith({ typeName: "flight.book", input: job.input }),
      "flight.book": async ({ job, compensateWith, continueWith }) => {
        await compensateWith({ typeName: "flight.cancel", input: { flight: job.idempotencyKey } });
        said.push("charge");
        await flight();
        said.push("charged");
        return continueWith({
          typeName: "hotel.book",
          input: { ...job.input, flight: "f-1" },
          compensate: { typeName: "flight.cancel", input: { flight: "f-1" } },
        });
      },
      "hotel.book": hotel,
      "flight.cancel": async ({ job }) => {
        said.push(`cancel ${job.input.flight}`);
        return null;
      },
      "trip.apologise": async ({ job: { input } }) => {
        said.push(
          `sorry about ${input.chain.input.to}: ${input.status}, ${input.error?.message ?? input.reason ?? ""}`,
        );
        return null;
      },
    },
  });
  const worker = createWorker({ client, processors: [processors], leaseMs: 60_000 });
  await worker.start();
  return { client, worker };
}

describe("what happens when a chain does not succeed", () => {
  let end: (() => Promise<void>) | undefined;
  afterEach(async () => await end?.());

  it("undoes the steps of a chain that fails, and then runs its whenStopped", async () => {
    const { client, worker } = await begin(async () => {
      throw new FatalError("no room");
    });
    end = () => worker.stop();
    const chain = await client.startChain({
      typeName: "trip.book",
      input: { to: "Rome" },
      whenStopped: "trip.apologise",
    });
    await drain({ client });
    expect(said).toEqual(["charge", "charged", "cancel f-1", "sorry about Rome: failed, no room"]);
    const read = await client.getChain({ id: chain.id });
    expect(read?.compensations.map(({ typeName, status }) => [typeName, status])).toEqual([
      ["flight.cancel", "completed"],
      ["trip.apologise", "completed"],
    ]);
  });

  it("undoes a charge in flight only after its attempt has ended, when the chain is cancelled meanwhile", async () => {
    const charging = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const { client, worker } = await begin(
      async () => ({ hotel: "h" }),
      async () => {
        begun.resolve();
        await charging.promise;
      },
    );
    end = () => worker.stop();
    const chain = await client.startChain({
      typeName: "trip.book",
      input: { to: "Rome" },
      whenStopped: "trip.apologise",
    });
    await begun.promise;
    const result = await client.cancelChain({ id: chain.id, reason: "customer called" });
    expect(result).toMatchObject({ id: chain.id, typeName: "trip.book", input: { to: "Rome" }, cancelled: [chain.id] });
    await drain({ client });
    expect(said).toEqual(["charge"]);
    charging.resolve();
    await expect.poll(() => said.length).toBe(4);
    expect(said.slice(1, 2)).toEqual(["charged"]);
    expect(said[2]).toMatch(/^cancel /);
    expect(said[3]).toBe("sorry about Rome: cancelled, customer called");
  });

  it("cancels a chain at its deadline, within a second", async () => {
    const forever = Promise.withResolvers<{ hotel: string }>();
    const { client, worker } = await begin(() => forever.promise);
    end = async () => {
      forever.resolve({ hotel: "h" });
      await worker.stop();
    };
    const deadline = { afterMs: 200 };
    const startedAt = Date.now();
    const { id } = await client.startChain({
      typeName: "trip.book",
      input: { to: "Rome" },
      whenStopped: "trip.apologise",
      deadline,
    });
    await expect(client.awaitChain({ id, typeName: "trip.book" })).rejects.toMatchObject({ code: "chain-cancelled" });
    expect(Date.now() - startedAt).toBeLessThan(1_200);
    expect(await client.getChain({ id })).toMatchObject({ status: "cancelled", reason: "deadline" });
  });
});
