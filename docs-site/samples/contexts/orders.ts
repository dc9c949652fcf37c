// Names that the samples of the guides may use: a shop on Postgres.
import { createClient, createProcessors, createWorker, defineJobTypes } from "chainwright";
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { Pool } from "pg";

export const jobTypes = defineJobTypes<{
  "order.place": { entry: true; input: { orderId: string }; continueWith: "order.charge" };
  "order.charge": {
    input: { orderId: string; cents: number };
    output: { receipt: string };
    continueWith: "order.charge" | "order.refund";
    blockers: ["stock.reserve", ..."fraud.check"[]];
  };
  "order.refund": { input: { orderId: string }; output: { refunded: true } };
  "stock.reserve": { entry: true; input: { sku: string }; output: { reserved: number } };
  "fraud.check": { entry: true; input: { orderId: string }; output: { score: number } };
  "mail.send": { entry: true; input: { to: string; text: string }; output: { sent: boolean } };
  "reminder.send": { entry: true; input: { to: string }; output: { sent: boolean } };
}>();

export const pool = new Pool();
export const stateAdapter = createPostgresStateAdapter({ driver: pg(pool) });
export const client = createClient({ stateAdapter, jobTypes });
export const processors = createProcessors({
  client,
  jobTypes,
  processors: {
    "order.place": async ({ job, continueWith }) =>
      continueWith({
        typeName: "order.charge",
        input: { orderId: job.input.orderId, cents: 100 },
        blockers: [{ typeName: "stock.reserve", input: { sku: "A-1" } }],
      }),
    "order.charge": async () => ({ receipt: "r-1" }),
    "order.refund": async () => ({ refunded: true }),
    "stock.reserve": async () => ({ reserved: 1 }),
    "fraud.check": async () => ({ score: 0 }),
    "mail.send": async () => ({ sent: true }),
    "reminder.send": async () => ({ sent: true }),
  },
});
export const worker = createWorker({ client, processors: [processors] });

export declare const orderId: string;
export declare const chainId: string;
export declare const jobId: string;
export declare const id: string;
export declare const shop: {
  charge(
    order: { readonly orderId: string; readonly cents: number },
    options: { readonly idempotencyKey: string; readonly signal?: AbortSignal },
  ): Promise<{ readonly id: string; readonly declined: boolean }>;
  reserve(sku: string, options?: { readonly signal?: AbortSignal }): Promise<number>;
};
export declare function page(text: string): void;
export declare const slowProcessors: typeof processors;
