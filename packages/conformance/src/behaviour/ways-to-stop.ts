import { FatalError } from "chainwright";
import { equal, match } from "../check.ts";
import { inTime } from "./event-log.ts";
import type { AppFixture } from "./fixture.ts";
import { createGate } from "./gate.ts";
import { hotelMs, withTrips, type TripDesk } from "./trip-desk.ts";

const leaseMs = 30_000;

/** Books a trip whose last step has begun. */
async function booked(desk: TripDesk, options?: Parameters<TripDesk["book"]>[0]) {
  const [begun, go] = [createGate(), createGate()];
  desk.script.effects.hotel = async () => {
    begun.open();
    await go.passed;
  };
  const { id } = await desk.book(options);
  await inTime("the last step begins", begun.passed);
  return { id, go: go.open };
}

async function checkUndone(
  { script, client, undone }: TripDesk,
  id: string,
  { status, done }: { readonly status: "failed" | "cancelled"; readonly done: readonly string[] },
): Promise<void> {
  await undone(id);
  match("the chain", await client.getChain({ id }), { status });
  equal("in order", script.done, [...done, `sorry: ${status}`]);
}

type Way = (fixture: AppFixture, desk: TripDesk) => Promise<void>;

/** Each way in which the last attempt of a chain that does not complete can end. */
const stops: Readonly<Record<string, Way>> = {
  "its handler throws": async (_, desk) => {
    desk.script.effects.hotel = async () => {
      throw new FatalError("no room");
    };
    await desk.work();
    const { id } = await desk.book();
    await checkUndone(desk, id, { status: "failed", done: ["pay", "leave", "refund"] });
  },

  "its handler times out": async ({ clock }, desk) => {
    await desk.work();
    const { id } = await booked(desk);
    clock.leap(hotelMs);
    await checkUndone(desk, id, { status: "failed", done: ["pay", "leave", "refund"] });
  },

  "its process dies": async ({ clock }, desk) => {
    const { die } = await desk.workElsewhere({ leaseMs });
    const { id } = await booked(desk);
    die();
    await desk.work();
    clock.leap(leaseMs);
    await checkUndone(desk, id, { status: "failed", done: ["pay", "leave", "refund"] });
  },

  "it is cancelled, and then its process dies": async ({ clock }, desk) => {
    const { die } = await desk.workElsewhere({ leaseMs });
    const { id } = await booked(desk);
    die();
    await desk.work();
    await desk.client.cancelChain({ id });
    await desk.othersRun();
    equal("nothing before the lease ends", desk.script.done.splice(0), ["pay", "refund", "leave"]);
    clock.leap(leaseMs);
    await checkUndone(desk, id, { status: "cancelled", done: ["leave", "refund"] });
  },

  "a blocker of its step fails": async (_, desk) => {
    desk.script.packs = true;
    desk.script.effects.reserve = async () => {
      throw new FatalError("sold out");
    };
    await desk.work();
    const { id } = await desk.book();
    await desk.undone(id);
    // What the blocker has recorded starts beside what undoes the chain.
    match("the chain", await desk.client.getChain({ id }), { status: "failed" });
    const ofChain = desk.script.done.filter((name) => name !== "release");
    equal("in order", ofChain, ["pay", "refund", "sorry: failed"]);
  },

  "it is cancelled from another process": async (_, desk) => {
    await desk.work();
    const other = await desk.elsewhere();
    const { id, go } = await booked(desk);
    await other.cancelChain({ id });
    go();
    await checkUndone(desk, id, { status: "cancelled", done: ["pay", "hotel", "leave", "refund"] });
  },

  "its deadline passes": async ({ clock, eventLog }, desk) => {
    await desk.work();
    const { id, go } = await booked(desk, { deadline: { afterMs: hotelMs - 1_000 } });
    clock.leap(hotelMs - 1_000);
    await eventLog.until("it is cancelled", (event) => event.type === "chain-cancelled");
    go();
    await checkUndone(desk, id, { status: "cancelled", done: ["pay", "hotel", "leave", "refund"] });
  },
};

export const ways: Readonly<Record<string, (fixture: AppFixture) => Promise<void>>> = Object.fromEntries(
  Object.entries(stops).map(([name, stop]) => [
    name,
    async (fixture: AppFixture) => await withTrips(fixture, async (desk) => await stop(fixture, desk)),
  ]),
);
