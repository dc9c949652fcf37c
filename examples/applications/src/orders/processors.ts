import { createProcessors } from "chainwright";
import { eq } from "drizzle-orm";
import { chargeOrder } from "./charge-order.ts";
import { client } from "./client.ts";
import { db, lines, mails, orders } from "./database.ts";
import { orderJobTypes } from "./job-types.ts";
import { refund } from "./payment-provider.ts";
import { releaseStock, reserveStock } from "./reserve-stock.ts";

export const processors = createProcessors({
  client,
  jobTypes: orderJobTypes,
  processors: {
    "order.place": async ({ job, continueWith }) => {
      const { orderId } = job.input;
      const ordered = await db.select().from(lines).where(eq(lines.orderId, orderId));
      return continueWith({
        typeName: "order.charge",
        input: { orderId },
        blockers: ordered.map(({ sku }) => ({ typeName: "stock.reserve" as const, input: { orderId, sku } })),
      });
    },
    "stock.reserve": reserveStock,
    "order.charge": {
      retry: { maxAttempts: 20, backoff: { initialMs: 10, maxMs: 200 } },
      timeoutMs: 10_000,
      handler: chargeOrder,
    },
    "stock.release": releaseStock,
    "payment.refund": async ({ job }) => {
      await refund(job.input.key);
      return null;
    },
    "order.refuse": async ({ job, complete }) =>
      complete(async ({ tx, continueWith }) => {
        const { chain, error } = job.input;
        const { orderId } = chain.input;
        await tx.update(orders).set({ status: "refused" }).where(eq(orders.id, orderId));
        return continueWith({ typeName: "mail.send", input: { orderId, text: `We are sorry: ${error?.message}` } });
      }),
    "mail.send": async ({ job, complete }) =>
      complete(async ({ tx }) => {
        await tx.insert(mails).values(job.input);
        return { sent: true } as const;
      }),
  },
});
