import { defineJobTypes } from "chainwright";

/** Both the web server and the worker import this file; it imports nothing of theirs. */
export const orderJobTypes = defineJobTypes<{
  "order.place": { entry: true; input: { orderId: string }; continueWith: "order.charge" };
  "stock.reserve": { entry: true; input: { orderId: string; sku: string }; output: { reserved: boolean } };
  "order.charge": {
    input: { orderId: string };
    continueWith: "mail.send" | "stock.release";
    blockers: [..."stock.reserve"[]];
  };
  "stock.release": { input: { orderId: string; why: string; reserved: string[] }; continueWith: "mail.send" };
  "mail.send": { input: { orderId: string; text: string }; output: { sent: true } };
}>();
