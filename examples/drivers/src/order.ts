import { defineJobTypes } from "chainwright";

export const orderJobTypes = defineJobTypes<{
  "order.charge": { entry: true; input: { orderId: string; cents: number }; output: { receipt: string } };
}>();

/** Simulates the payment provider. */
export async function charge(cents: number, idempotencyKey: string): Promise<string> {
  return `${cents} cents, charged once under a key of ${idempotencyKey.length} characters`;
}
