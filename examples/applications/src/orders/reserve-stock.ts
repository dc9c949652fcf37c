import type { HandlerOf } from "chainwright";
import { and, eq, gt, sql } from "drizzle-orm";
import type { client } from "./client.ts";
import { stock } from "./database.ts";
import type { orderJobTypes } from "./job-types.ts";

export const reserveStock: HandlerOf<typeof client, typeof orderJobTypes, "stock.reserve"> = async ({
  job,
  complete,
}) =>
  complete(async ({ tx }) => {
    const taken = await tx
      .update(stock)
      .set({ count: sql`${stock.count} - 1` })
      .where(and(eq(stock.sku, job.input.sku), gt(stock.count, 0)));
    return { reserved: taken.rowCount === 1 };
  });
