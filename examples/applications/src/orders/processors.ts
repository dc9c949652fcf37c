import { createProcessors } from "chainwright";
import { and, eq, gt, inArray, sql } from "drizzle-orm";
import { client } from "./client.ts";
import { db, lines, mails, orders, stock } from "./database.ts";
import { orderJobTypes } from "./job-types.ts";
import { charge } from "./payment-provider.ts";

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
    "stock.reserve": async ({ job, complete }) =>
      complete(async ({ tx }) => {
        const taken = await tx
          .update(stock)
          .set({ count: sql`${stock.count} - 1` })
          .where(and(eq(stock.sku, job.input.sku), gt(stock.count, 0)));
        return { reserved: taken.rowCount === 1 };
      }),
    "order.charge": {
      retry: { maxAttempts: 20, backoff: { initialMs: 10, maxMs: 200 } },
      timeoutMs: 10_000,
      handler: async ({ job, complete }) => {
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
      },
    },
    "stock.release": async ({ job, complete }) =>
      complete(async ({ tx, continueWith }) => {
        const { orderId, why, reserved } = job.input;
        await tx
          .update(stock)
          .set({ count: sql`${stock.count} + 1` })
          .where(inArray(stock.sku, reserved));
        return continueWith({ typeName: "mail.send", input: { orderId, text: `We are sorry: ${why}` } });
      }),
    "mail.send": async ({ job, complete }) =>
      complete(async ({ tx }) => {
        await tx.insert(mails).values(job.input);
        return { sent: true } as const;
      }),
  },
});
