import { equal, holds, match, rejectsWith } from "../check.ts";
import { behaviours } from "./group.ts";
import { inTime } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";
import { leapUntil } from "./leaping-clock.ts";
import { withDesk, type Desk, type Seen } from "./signalled-desk.ts";

/** Pairs of calls that race. More at the same time take no longer than one after the other on the slowest store. */
const [races, atOnce] = [2_000, 50];

const approved = (n: number) => ({ typeName: "approve", signal: "approved", payload: { n } }) as const;
const mail = (n: number) => ({ typeName: "mailbox", signal: "approved", payload: { n } }) as const;

/** Runs many rounds, some at the same time. Deletes the chains of the rounds, so that each round meets a store of the same size. */
async function race({ client }: Desk, run: (round: number) => Promise<string>): Promise<void> {
  for (let from = 0; from < races; from += atOnce) {
    const ids = await Promise.all(Array.from({ length: atOnce }, (_, index) => run(from + index)));
    await client.deleteChains({ items: ids.map((id) => ({ id })) });
  }
}

function numbersOf({ all }: { readonly all: readonly Seen[] }): readonly number[] {
  return all.map(({ payload }) => payload.n);
}

async function resultOf({ client }: Desk, id: string) {
  const { output } = await client.awaitChain({ id, typeName: "approve" }, { timeoutMs: 30_000 });
  return output;
}

export const signalsCases = behaviours("signals", {
  "E1: a step waits without a worker until a signal comes, and its handler gets the signal": async (fixture) =>
    await withDesk(fixture, async (desk) => {
      const { client } = desk;
      await desk.work();
      const { id } = await client.startChain({ typeName: "file", input: { ms: null } });
      await fixture.eventLog.until("it waits", (event) => event.type === "job-started" && event.status === "waiting");
      match("explained", await client.explainChain({ id }), {
        status: "waiting",
        reason: "It waits for a signal without an end.",
      });
      const counts = await client.countJobs();
      match("counted as waiting, not as ready", counts.approve, { waiting: 1, ready: 0, oldestReadyMs: undefined });
      equal(
        "listed",
        (await client.listJobs({ status: "waiting" })).items.map(({ chainId }) => chainId),
        [id],
      );
      equal("taken", await client.signalChain({ id, ...approved(1) }), { delivered: "taken" });
      const { output } = await inTime("it ends", client.awaitChain({ id, typeName: "file" }));
      equal("with the signal", output, {
        ended: { signal: "approved", payload: { n: 1 } },
        all: [{ signal: "approved", payload: { n: 1 } }],
      });
      await fixture.eventLog.until("reported", ({ type }) => type === "signal-received");
    }),

  "E2: a signal that comes before its step is taken when the step is reached": async (fixture) =>
    await withDesk(fixture, async (desk) => {
      const { client } = desk;
      const { id } = await client.startChain({ typeName: "file", input: { ms: null } });
      equal("kept", await client.signalChain({ id, ...approved(1) }), { delivered: "buffered" });
      await fixture.eventLog.until("reported", ({ type }) => type === "signal-buffered");
      await desk.work();
      const { output } = await inTime("it ends", client.awaitChain({ id, typeName: "file" }));
      match("with the signal", output ?? {}, { ended: { signal: "approved", payload: { n: 1 } } });
    }),

  "E3: a step whose time is over runs without a signal, and the event says so": async (fixture) =>
    await withDesk(fixture, async (desk) => {
      await desk.work();
      const { id } = await desk.client.startChain({
        typeName: "approve",
        input: { times: 1 },
        waitUntil: { afterMs: 5_000 },
      });
      equal("nothing came", await leapUntil(fixture.clock, 1_000, resultOf(desk, id)), { ended: null, all: [] });
      await fixture.eventLog.until("reported", ({ type }) => type === "wait-timed-out");
      const partly = { collect: { approved: 2 }, waitUntil: { afterMs: 5_000 } } as const;
      const other = await desk.client.startChain({ typeName: "approve", input: { times: 1 }, ...partly });
      await desk.client.signalChain({ id: other.id, ...approved(1) });
      match("one of two came", await leapUntil(fixture.clock, 1_000, resultOf(desk, other.id)), { ended: null });
    }),

  "E4: a step that continues with itself gets every signal once, in their order": async (fixture) =>
    await withDesk(fixture, async (desk) => {
      const { client } = desk;
      await desk.work();
      const { id } = await client.startChain({ typeName: "mailbox", input: { seen: [] }, waitUntil: "forever" });
      for (let n = 1; n <= 20; n += 1) await client.signalChain({ id, ...mail(n) });
      await client.signalChain({ id, typeName: "mailbox", signal: "rejected", payload: { n: 0 } });
      const { output } = await inTime("it ends", client.awaitChain({ id, typeName: "mailbox" }));
      equal(
        "in order",
        output,
        Array.from({ length: 20 }, (_, index) => index + 1),
      );
    }),

  "E5, E6: a signal that is sent twice counts once, and every attempt gets the same": async (fixture) =>
    await withDesk(fixture, async (desk) => {
      const { client } = desk;
      await desk.work();
      const { id } = await client.startChain({
        typeName: "approve",
        input: { times: 3 },
        waitUntil: "forever",
        collect: { approved: 2 },
      });
      const first = { id, ...approved(1), signalId: "delivery 1" };
      equal(
        "once",
        [await client.signalChain(first), await client.signalChain(first)],
        [{ delivered: "taken" }, { delivered: "deduplicated" }],
      );
      equal("the second", await client.signalChain({ id, ...approved(2) }), { delivered: "taken" });
      equal("both", numbersOf(await inTime("it ends", resultOf(desk, id))), [1, 2]);
    }),

  "E7: a signal in a transaction that rolls back never was": async (fixture) =>
    await withDesk(fixture, async ({ client }) => {
      const { id } = await client.startChain({ typeName: "approve", input: { times: 1 }, waitUntil: "forever" });
      const undone = client.transaction(async (tx) => {
        await client.signalChain({ tx, id, ...approved(1) });
        throw new Error("undo");
      });
      await undone.catch(() => undefined);
      equal("nothing", (await client.listSignals({ id })).items, []);
      equal(
        "no event",
        fixture.eventLog.count(({ type }) => type === "signal-received"),
        0,
      );
    }),

  "E9: a publication reaches those that wait and those that begin to wait in time, once each": async (fixture) =>
    await withDesk(fixture, async (desk) => {
      const { client } = desk;
      await desk.work();
      const waits = { typeName: "approve", input: { times: 1 }, waitUntil: "forever", topics: ["parcel 1"] } as const;
      const early = [await client.startChain(waits), await client.startChain(waits)];
      const publication = { topic: "parcel 1", ...approved(7), keepMs: 60_000 };
      equal("both", await client.publishSignal(publication), { reached: 2 });
      for (const { id } of [...early, await client.startChain(waits)])
        equal("it", numbersOf(await inTime("it ends", resultOf(desk, id))), [7]);
    }),

  "a start with signals reaches the active chain with its key, or a new one": async (fixture) =>
    await withDesk(fixture, async (desk) => {
      const { client } = desk;
      const start = (n: number) =>
        client.startChain({
          typeName: "approve",
          input: { times: 1 },
          waitUntil: "forever",
          collect: { approved: 2 },
          deduplication: { key: "cart" },
          signals: [approved(n)],
        });
      const [first, second] = [await start(1), await start(2)];
      equal("one chain", [second.id, second.deduplicated], [first.id, true]);
      await desk.work();
      equal("both", numbersOf(await inTime("it ends", resultOf(desk, first.id))), [1, 2]);
    }),

  "a step collects signals with a name that every object has": async (fixture) =>
    await withDesk(fixture, async (desk) => {
      const collect = { ["__proto__"]: 2 };
      const { id } = await desk.client.startChain({
        typeName: "approve",
        input: { times: 1 },
        waitUntil: "forever",
        collect,
      });
      const send = (n: number) =>
        desk.client.signalChain({ id, typeName: "approve", signal: "__proto__", payload: { n } });
      equal("the first", await send(1), { delivered: "taken" });
      match("still waiting", (await desk.client.getJob({ id: firstJobIdOf({ id }) })) ?? {}, { status: "waiting" });
      equal("the second", await send(2), { delivered: "taken" });
      await desk.work();
      equal("both", numbersOf(await inTime("it ends", resultOf(desk, id))), [1, 2]);
    }),

  "what no step has taken when the chain ends is reported and listed": async (fixture) =>
    await withDesk(fixture, async (desk) => {
      const { client } = desk;
      const { id } = await client.startChain({ typeName: "approve", input: { times: 1 }, waitUntil: "forever" });
      await client.signalChain({ id, ...approved(1) });
      await client.signalChain({ id, ...approved(2) });
      await desk.work();
      await inTime("it ends", resultOf(desk, id));
      match("reported", await fixture.eventLog.until("unused", ({ type }) => type === "signal-unused"), {
        chainId: id,
        count: 1,
      });
      const { items } = await client.listSignals({ id });
      equal(
        "listed",
        items.map(({ takenBy }) => takenBy !== undefined),
        [true, false],
      );
      await rejectsWith("ended", client.signalChain({ id, ...approved(3) }), "chain-not-active");
    }),

  "wrong calls are refused with a sentence, and write nothing": async (fixture) =>
    await withDesk(fixture, async ({ client }) => {
      const { id } = await client.startChain({ typeName: "approve", input: { times: 1 }, waitUntil: "forever" });
      const wrong: readonly Promise<unknown>[] = [
        client.signalChain({ id, ...approved(1), signalId: "" }),
        client.signalChain({ id: "x", ...approved(1) }),
        client.publishSignal({ topic: "", ...approved(1), keepMs: 0 }),
        client.publishSignal({ topic: "t", ...approved(1), keepMs: -1 }),
        client.startChain({ typeName: "approve", input: { times: 1 }, waitUntil: "forever", collect: { approved: 0 } }),
      ];
      for (const call of wrong) await rejectsWith("refused", call, "invalid-input");
      equal("nothing", (await client.listSignals({ id })).items, []);
    }),

  "a woken step runs although every hint was lost": async (fixture) =>
    await withDesk(fixture, async (desk) => {
      fixture.notify?.mute();
      await desk.work(50);
      const other = await desk.elsewhere();
      const { id } = await other.startChain({ typeName: "approve", input: { times: 1 }, waitUntil: "forever" });
      equal("taken", await other.signalChain({ id, ...approved(1) }), { delivered: "taken" });
      equal("it runs", numbersOf(await leapUntil(fixture.clock, 1_000, resultOf(desk, id))), [1]);
    }),

  "2,000 races of a signal against the start of its wait: none is stuck, lost or taken twice": async (fixture) =>
    await withDesk(fixture, async (desk) => {
      const { client } = desk;
      await desk.work();
      const other = await desk.elsewhere();
      await race(desk, async (round) => {
        const { id } = await client.startChain({ typeName: "file", input: { ms: null } });
        const sender = round % 2 === 0 ? client : other;
        await sender.signalChain({ id, ...approved(round), signalId: "once" });
        const { output } = await client.awaitChain({ id, typeName: "file" }, { timeoutMs: 30_000 });
        equal("exactly one", output === null ? [] : numbersOf(output), [round]);
        return id;
      });
    }),

  "2,000 races of a signal against the end of the time: one of them wakes the step, and no signal is lost": async (
    fixture,
  ) =>
    await withDesk(fixture, async (desk) => {
      const { client } = desk;
      await desk.work();
      const other = await desk.elsewhere();
      await race(desk, async (round) => {
        const waitUntil = { afterMs: round % 20 };
        const { id } = await client.startChain({ typeName: "approve", input: { times: 1 }, waitUntil });
        await new Promise((resolve) => void setTimeout(resolve, (round * 7) % 20));
        const sent = await other.signalChain({ id, ...approved(round) }).catch(() => undefined);
        const output = await resultOf(desk, id);
        const { items } = await client.listSignals({ id });
        const taken = items.filter(({ takenBy }) => takenBy !== undefined).length;
        equal("as it was said", [output.all.length, taken], sent?.delivered === "taken" ? [1, 1] : [0, 0]);
        holds("on record unless it was refused", items.length === (sent === undefined ? 0 : 1), items);
        return id;
      });
    }),
});
