import { defineJobTypes } from "chainwright";

export const orderJobTypes = defineJobTypes<{
  "order.charge": { entry: true; input: { orderId: string; cents: number }; output: { receipt: string } };
}>();

/** Simulates the payment provider. */
export async function charge(cents: number): Promise<string> {
  return `${cents} cents`;
}
