import { isChainwrightError } from "chainwright";
import { equal, holds } from "../check.ts";
import { eventually } from "./event-log.ts";
import type { TripDesk } from "./trip-desk.ts";

/** Chains that race against their cancellation. More at the same time take no longer on the slowest store. */
const [races, atOnce] = [2_000, 50];
/** So many of them must have been cancelled after what undoes them was recorded. */
const fewestUndone = 100;

/** What was done for an order. */
interface Charge {
  made: number;
  refunded: number;
  isInFlight: boolean;
  /** Whether it was refunded while its attempt was running. */
  tooEarly: boolean;
}

/** Each chain completes with its charge, or was cancelled; then its charge, if it was made, was refunded once, and after it was made. */
export async function raceCancellations(desk: TripDesk): Promise<void> {
  const { client, script } = desk;
  const charges: Charge[] = Array.from({ length: races }, () => ({
    made: 0,
    refunded: 0,
    isInFlight: false,
    tooEarly: false,
  }));
  script.effects.pay = async (order) => {
    const charge = charges[order];
    if (charge === undefined) return;
    charge.isInFlight = true;
    await pause(order % 5);
    charge.made += 1;
    charge.isInFlight = false;
  };
  script.onRefund = (order) => {
    const charge = charges[order];
    if (charge === undefined) return;
    charge.tooEarly ||= charge.isInFlight;
    charge.refunded += 1;
  };
  await desk.work();
  const other = await desk.elsewhere();
  const race = async (order: number): Promise<boolean> => {
    const { id } = await client.startChain({ typeName: "pay", input: { order } });
    await pause((order * 7) % 30);
    const canceller = order % 2 === 0 ? client : other;
    return await canceller.cancelChain({ id }).then(
      () => true,
      (error: unknown) => {
        if (isChainwrightError(error, "chain-not-active")) return false;
        throw error;
      },
    );
  };
  const isIdle = async () => (await client.listChains({ status: "active", limit: 1 })).items.length === 0;
  const cancelled: boolean[] = [];
  for (let from = 0; from < races; from += atOnce) {
    cancelled.push(...(await Promise.all(Array.from({ length: atOnce }, (_, index) => race(from + index)))));
    await eventually("all chains have ended", isIdle);
    await forget(desk);
  }
  const wrong = charges.filter(({ made, refunded, tooEarly }, order) => {
    if (cancelled[order] !== true) return made !== 1 || refunded !== 0;
    return tooEarly || made > 1 || refunded > 1 || made > refunded;
  });
  equal("none is lost, and none is refunded twice or too early", wrong, []);
  const undone = charges.filter(({ refunded }) => refunded > 0).length;
  holds("many were cancelled in flight", undone > fewestUndone, undone);
}

/** Deletes what has ended: a small store may read all that it has in each call. */
async function forget({ client }: TripDesk): Promise<void> {
  for (;;) {
    const { items } = await client.listChains({ limit: 500 });
    if (items.length === 0) return;
    await client.deleteChains({ items: items.map(({ id }) => ({ id })), cascade: true });
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
