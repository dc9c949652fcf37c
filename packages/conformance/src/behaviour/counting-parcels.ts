import { inTime } from "./event-log.ts";
import type { AppFixture } from "./fixture.ts";
import { createGate } from "./gate.ts";
import { leapUntil } from "./leaping-clock.ts";
import type { ParcelContext, Shop } from "./limited-shop.ts";

/** A handler that notes what begins, and counts what runs by shop until the gate opens. */
export function counting() {
  const gate = createGate();
  const running = new Map<string, number>();
  const begun: string[] = [];
  const most = new Map<string, number>();
  const handler = async ({ job }: ParcelContext): Promise<string> => {
    const { shop, n } = job.input;
    const now = (running.get(shop) ?? 0) + 1;
    running.set(shop, now);
    most.set(shop, Math.max(most.get(shop) ?? 0, now));
    begun.push(`${job.typeName} ${shop} ${n}`);
    await gate.passed;
    running.set(shop, (running.get(shop) ?? 0) - 1);
    return "done";
  };
  return { handler, gate, begun, of: (shop: string) => running.get(shop) ?? 0, most: (shop: string) => most.get(shop) };
}

export async function endAll(
  { client }: Pick<Shop, "client">,
  chains: readonly { readonly id: string }[],
): Promise<void> {
  await Promise.all(chains.map(({ id }) => inTime("it ends", client.awaitChain({ id }))));
}

/** Waits until the workers have claimed several times more. */
export async function looked(shop: Shop): Promise<void> {
  for (let n = 1; n <= 3; n += 1) await endAll(shop, await shop.start("sweep", "none", 3));
}

/** Ends chains that wait for time to pass. */
export async function leapToEnd(
  { clock }: AppFixture,
  shop: Shop,
  chains: readonly { readonly id: string }[],
): Promise<void> {
  await leapUntil(clock, 1_000, endAll(shop, chains));
}
