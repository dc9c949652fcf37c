import { equal } from "../check.ts";
import { eventually, inTime } from "./event-log.ts";
import { createGate } from "./gate.ts";
import { behavioursWith } from "./group.ts";
import { withTrips, type TripDesk } from "./trip-desk.ts";

/** Cancels a chain in a transaction that stays open, and is rolled back at the end. */
async function cancelAndHold({ elsewhere }: TripDesk, id: string) {
  const other = await elsewhere();
  const held = createGate();
  const end = Promise.withResolvers<void>();
  const ended = other
    .transaction(async (tx) => {
      await other.cancelChain({ id, tx });
      held.open();
      await end.promise;
    })
    .catch(() => undefined);
  await inTime("it holds the rows", held.passed);
  return { rollBack: () => (end.reject(new Error("rolls back")), ended) };
}

export const endsLockCases = behavioursWith("ends beside a transaction", "rowLocks", {
  "what undoes a step is recorded while a transaction holds the job of another one, which follows when that ends":
    async (fixture) =>
      await withTrips(fixture, async (desk) => {
        const { client, script } = desk;
        const [both, go] = [createGate(), createGate()];
        const effects: number[] = [];
        let begun = 0;
        script.before.hotel = async () => {
          begun += 1;
          if (begun === 2) both.open();
          await go.passed;
        };
        script.effects.hotel = async (order) => void effects.push(order);
        await desk.work();
        const [held, free] = await client.startChains({
          items: [1, 2].map((order) => ({ typeName: "trip", input: { order }, whenStopped: "sorry" }) as const),
        });
        if (held === undefined || free === undefined) throw new TypeError("two chains");
        await inTime("both begin", both.passed);
        const cancelling = await cancelAndHold(desk, held.id);
        try {
          go.open();
          await inTime("the other one ends", client.awaitChain(free));
          equal("without the one that is held", effects, [2]);
        } finally {
          await cancelling.rollBack();
        }
        await inTime("it ends", client.awaitChain(held));
        await eventually("both", () => effects.length === 2);
      }),
});
