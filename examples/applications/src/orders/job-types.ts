import { defineJobTypes, type StoppedChain } from "chainwright";

interface Order {
  orderId: string;
}

/** Both the web server and the worker import this file; it imports nothing of theirs. */
export const orderJobTypes = defineJobTypes<{
  "order.place": { entry: true; input: Order; continueWith: "order.charge"; whenStopped: "order.refuse" };
  "stock.reserve": {
    entry: true;
    input: Order & { sku: string };
    output: { reserved: true };
    compensate: "stock.release";
  };
  "order.charge": {
    input: Order;
    continueWith: "mail.send";
    blockers: [..."stock.reserve"[]];
    compensate: "payment.refund";
  };
  "mail.send": { input: Order & { text: string }; output: { sent: true } };
  // What undoes the steps above, and what runs after that.
  "stock.release": { entry: true; input: Order & { sku: string }; output: null };
  "payment.refund": { entry: true; input: { key: string }; output: null };
  "order.refuse": { entry: true; input: StoppedChain<Order>; continueWith: "mail.send" };
}>();
