import { equal, holds, match, present, rejectsWith } from "../check.ts";
import { eventually, inTime } from "./event-log.ts";
import { createGate } from "./gate.ts";
import { behaviours } from "./group.ts";
import { raceCancellations } from "./cancel-races.ts";
import { ways } from "./ways-to-stop.ts";
import { withTrips, type TripDesk } from "./trip-desk.ts";

/** The effect of a step begins and waits, whether or not its job is lost meanwhile. */
function holdEffect({ script }: TripDesk, step: "pay" | "hotel" | "pack" | "reserve") {
  const [begun, go] = [createGate(), createGate()];
  script.effects[step] = async () => {
    begun.open();
    await go.passed;
  };
  return { begun: inTime(`${step} begins`, begun.passed), go: go.open };
}

async function compensationsOf({ client }: TripDesk, id: string) {
  const chain = present("the chain", await client.getChain({ id }));
  return chain.compensations.map(({ typeName, status }) => [typeName, status]);
}

function everyWay() {
  return Object.fromEntries(
    Object.entries(ways).map(([way, stop]) => [
      `N1, N2: each recorded compensation runs once, the last step first, and whenStopped after them, if ${way}`,
      stop,
    ]),
  );
}

export const endsCases = behaviours("ends", {
  ...everyWay(),

  "N3: nothing that undoes a step begins while a handler whose chain was cancelled still runs": async (fixture) =>
    await withTrips(fixture, async (desk) => {
      const { client, script } = desk;
      const hotel = holdEffect(desk, "hotel");
      await desk.work();
      const { id } = await desk.book();
      await hotel.begun;
      await client.cancelChain({ id });
      await desk.othersRun();
      equal("only the others", script.done, ["pay", "refund", "leave"]);
      equal("they wait", await compensationsOf(desk, id), [
        ["leave", "active"],
        ["refund", "active"],
        ["sorry", "active"],
      ]);
      const { reason } = present("an explanation", await client.explainChain({ id }));
      holds("explained", reason.includes('"leave" waits for the end of the attempt that was running'), reason);
      const [leave, refund] = present("the chain", await client.getChain({ id })).compensations;
      const ofLeave = present("of the first", await client.explainChain({ id: leave?.id ?? "" }));
      const whose = `chain ${id} ("trip")`;
      holds("why it waits", ofLeave.reason.includes(`attempt that was running when ${whose} stopped`), ofLeave.reason);
      match("of the second", present("its explanation", await client.explainChain({ id: refund?.id ?? "" })), {
        reason: `It waits until "leave", chain ${leave?.id ?? ""}, has completed.`,
        summary: `It waits until "leave", chain ${leave?.id ?? ""}, has completed. Its chain undoes a step of ${whose}, which was cancelled.`,
      });
      await rejectsWith("not triggered", client.triggerJob({ id: ofLeave.id }), "job-not-scheduled");
      script.done.length = 0;
      hotel.go();
      await desk.undone(id);
      equal("after the handler", script.done, ["hotel", "leave", "refund", "sorry: cancelled"]);
    }),

  "N4: a chain that completes starts nothing, and neither does one that was retried and then completes": async (
    fixture,
  ) =>
    await withTrips(fixture, async (desk) => {
      const { client, script } = desk;
      await desk.work();
      const first = await desk.book();
      await inTime("it completes", client.awaitChain({ id: first.id, typeName: "trip" }));
      equal("nothing follows", await compensationsOf(desk, first.id), []);
      for (const typeName of ["leave", "refund", "sorry"] as const)
        await client.pauseJobTypes({ typeNames: [typeName] });
      let fails = true;
      script.effects.hotel = async () => {
        if (fails) throw new Error("no room");
      };
      const { id } = await desk.book();
      const failed = client.awaitChain({ id, typeName: "trip" });
      await rejectsWith("it fails", inTime("it ends", failed), "chain-failed");
      fails = false;
      await client.retryChain({ id });
      await inTime("it completes", client.awaitChain({ id, typeName: "trip" }));
      for (const typeName of ["leave", "refund", "sorry"] as const)
        await client.resumeJobTypes({ typeNames: [typeName] });
      await desk.othersRun();
      equal("only the others", script.done, ["pay", "hotel", "pay", "hotel", "refund", "leave"]);
      equal("nothing follows any more", await compensationsOf(desk, id), []);
    }),

  "a chain whose compensation has begun is not retried": async (fixture) =>
    await withTrips(fixture, async (desk) => {
      const { client, script } = desk;
      script.effects.hotel = async () => {
        throw new Error("no room");
      };
      await desk.work();
      const { id } = await desk.book();
      await desk.undone(id);
      await rejectsWith("refused", client.retryChain({ id }), "chain-not-retryable");
      equal("once", script.done, ["pay", "leave", "refund", "sorry: failed"]);
      match("explained", await client.explainChain({ id }), {
        reason: "It has failed, which started leave (completed), then refund (completed), then sorry (completed).",
      });
    }),

  "N5: cancelChain cancels the blockers that the chain started for itself, and returns their ids": async (fixture) =>
    await withTrips(fixture, async (desk) => {
      const { client, script } = desk;
      script.packs = true;
      const reserve = holdEffect(desk, "reserve");
      await desk.work();
      const { id } = await desk.book();
      await reserve.begun;
      const { cancelled, ...chain } = await client.cancelChain({ id, reason: "customer called" });
      match("the chain", chain, { id, typeName: "trip", input: { order: 1 } });
      equal("two chains", [cancelled.length, cancelled[0]], [2, id]);
      const blocker = present("the blocker", cancelled[1]);
      match("it is cancelled", await client.getChain({ id: blocker }), { typeName: "reserve", status: "cancelled" });
      reserve.go();
      await desk.undone(id);
      await desk.undone(blocker);
      const [undoneFirst, ...others] = ["release", "refund", "sorry: cancelled"].map((name) =>
        script.done.indexOf(name),
      );
      holds("after its handler", (undoneFirst ?? -1) > script.done.indexOf("reserve"), script.done);
      equal("each once", script.done.length, 5);
      holds("refund, then sorry", (others[0] ?? 0) < (others[1] ?? 0), script.done);
    }),

  "N8: a blocker that cancelChain leaves continues, and what undoes it follows when it completes": async (fixture) =>
    await withTrips(fixture, async (desk) => {
      const { client, script } = desk;
      script.packs = true;
      const reserve = holdEffect(desk, "reserve");
      await desk.work();
      const { id } = await desk.book();
      await reserve.begun;
      const { cancelled } = await client.cancelChain({ id, blockers: "leave" });
      equal("only the chain", cancelled, [id]);
      await desk.undone(id);
      equal("what it did itself", script.done, ["pay", "refund", "sorry: cancelled"]);
      reserve.go();
      await eventually("the blocker is undone", () => script.done.length === 5);
      equal("in order", script.done.slice(3), ["reserve", "release"]);
    }),

  "N8: a chain that fails undoes the blockers that it has waited for, and then the steps before": async (fixture) =>
    await withTrips(fixture, async (desk) => {
      const { script } = desk;
      script.packs = true;
      script.effects.pack = async () => {
        throw new Error("no box");
      };
      await desk.work();
      const { id } = await desk.book();
      await desk.undone(id);
      equal("in order", script.done, ["pay", "reserve", "release", "refund", "sorry: failed"]);
      equal("listed", await compensationsOf(desk, id), [
        ["release", "completed"],
        ["refund", "completed"],
        ["sorry", "completed"],
      ]);
    }),

  "N6: a deadline cancels the chain within a second": async (fixture) =>
    await withTrips(fixture, async (desk) => {
      const { client } = desk;
      const pay = holdEffect(desk, "pay");
      await desk.work();
      const { id } = await desk.book({ deadline: { afterMs: 5_000 } });
      await pay.begun;
      const passed = Date.now();
      fixture.clock.leap(5_000);
      await fixture.eventLog.until("it is cancelled", (event) => event.type === "chain-cancelled");
      const tookMs = Date.now() - passed;
      holds("within a second", tookMs <= 1_000, tookMs);
      match("why", await client.getChain({ id }), { status: "cancelled", reason: "deadline" });
      pay.go();
      await desk.undone(id);
    }),

  "an attempt that has lost its job records nothing, and its effect does not begin": async (fixture) =>
    await withTrips(fixture, async (desk) => {
      const { client, script } = desk;
      const [begun, go] = [createGate(), createGate()];
      script.before.hotel = async () => {
        begun.open();
        await go.passed;
      };
      fixture.notify?.mute();
      await desk.work();
      const other = await desk.elsewhere();
      const { id } = await desk.book();
      await inTime("it begins", begun.passed);
      await other.cancelChain({ id });
      go.open();
      await eventually("the first step is undone", async () => {
        fixture.clock.leap(1_000);
        return (await client.getChain({ id }))?.compensations.at(-1)?.status === "completed";
      });
      equal("without the hotel", script.done, ["pay", "refund", "sorry: cancelled"]);
    }),

  "2,000 cancellations while a charge is in flight: each charge is refunded once, after it was made, or its chain completed":
    async (fixture) => await withTrips(fixture, async (desk) => await raceCancellations(desk)),
});
