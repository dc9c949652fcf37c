import { FatalError, type HandlerOf } from "chainwright";
import { eq } from "drizzle-orm";
import type { client } from "./client.ts";
import { orders } from "./database.ts";
import type { orderJobTypes } from "./job-types.ts";
import { charge } from "./payment-provider.ts";

/** Charges the card. A declined card ends the order, and what was reserved is released. */
export const chargeOrder: HandlerOf<typeof client, typeof orderJobTypes, "order.charge"> = async ({
  job,
  compensateWith,
  complete,
}) => {
  const { orderId } = job.input;
  const key = job.idempotencyKey;
  // Before the call: the worker may die after the provider has booked it.
  await compensateWith({ typeName: "payment.refund", input: { key } });
  const { declined } = await charge(orderId, key);
  if (declined) throw new FatalError("the card was declined");
  return complete(async ({ tx, continueWith }) => {
    await tx.update(orders).set({ status: "paid" }).where(eq(orders.id, orderId));
    return continueWith({ typeName: "mail.send", input: { orderId, text: "Thank you for your order" } });
  });
};
