import type { HandlerOf } from "chainwright";
import { eq } from "drizzle-orm";
import type { client } from "./client.ts";
import { orders } from "./database.ts";
import type { orderJobTypes } from "./job-types.ts";
import { charge } from "./payment-provider.ts";

/** Charges the card, or refuses the order and gives back what was reserved. */
export const chargeOrder: HandlerOf<typeof client, typeof orderJobTypes, "order.charge"> = async ({
  job,
  complete,
}) => {
  const { orderId } = job.input;
  const skus = (isReserved: boolean) =>
    job.blockers.filter(({ output }) => output.reserved === isReserved).map(({ input }) => input.sku);
  const missing = skus(false);
  const refusal =
    missing.length > 0
      ? `${missing.join(", ")} is out of stock`
      : (await charge(orderId, job.idempotencyKey)).declined && "the card was declined";
  return complete(async ({ tx, continueWith }) => {
    const status = refusal ? "refused" : "paid";
    await tx.update(orders).set({ status }).where(eq(orders.id, orderId));
    return refusal
      ? continueWith({ typeName: "stock.release", input: { orderId, why: refusal, reserved: skus(true) } })
      : continueWith({ typeName: "mail.send", input: { orderId, text: "Thank you for your order" } });
  });
};
