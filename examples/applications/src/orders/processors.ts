import { createProcessors } from "chainwright";
import { eq, inArray, sql } from "drizzle-orm";
import { chargeOrder } from "./charge-order.ts";
import { client } from "./client.ts";
import { db, lines, mails, stock } from "./database.ts";
import { orderJobTypes } from "./job-types.ts";
import { reserveStock } from "./reserve-stock.ts";

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
