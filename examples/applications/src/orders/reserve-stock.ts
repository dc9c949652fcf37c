import { FatalError, type HandlerOf } from "chainwright";
import { and, eq, gt, sql } from "drizzle-orm";
import type { client } from "./client.ts";
import { reservations, stock } from "./database.ts";
import type { orderJobTypes } from "./job-types.ts";

/** The reservation is a row, so that a release can be repeated, and finds nothing where nothing was reserved. */
export const reserveStock: HandlerOf<typeof client, typeof orderJobTypes, "stock.reserve"> = async ({
  job,
  compensateWith,
  complete,
}) => {
  const { orderId, sku } = job.input;
  await compensateWith({ typeName: "stock.release", input: { orderId, sku } });
  return complete(async ({ tx }) => {
    const taken = await tx
      .update(stock)
      .set({ count: sql`${stock.count} - 1` })
      .where(and(eq(stock.sku, sku), gt(stock.count, 0)));
    if (taken.rowCount === 0) throw new FatalError(`${sku} is out of stock`);
    await tx.insert(reservations).values({ orderId, sku });
    return { reserved: true } as const;
  });
};

export const releaseStock: HandlerOf<typeof client, typeof orderJobTypes, "stock.release"> = async ({
  job,
  complete,
}) =>
  complete(async ({ tx }) => {
    const { orderId, sku } = job.input;
    const released = await tx
      .delete(reservations)
      .where(and(eq(reservations.orderId, orderId), eq(reservations.sku, sku)));
    if (released.rowCount === 1)
      await tx
        .update(stock)
        .set({ count: sql`${stock.count} + 1` })
        .where(eq(stock.sku, sku));
    return null;
  });
