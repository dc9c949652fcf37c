import { eq } from "drizzle-orm";
import { db, payments } from "./database.ts";

/** Simulates a provider that declines some cards, loses some replies, and books a key once however often it is asked. */
export async function charge(orderId: string, idempotencyKey: string): Promise<{ declined: boolean }> {
  if (orderId.endsWith("3")) return { declined: true };
  const booked = await db.insert(payments).values({ key: idempotencyKey, orderId }).onConflictDoNothing();
  if (booked.rowCount === 1 && /[05]$/.test(orderId))
    throw new TypeError("fetch failed", { cause: new Error("the provider closed the connection") });
  return { declined: false };
}

/** Returns the money of a key, if it was booked. Repeated, it does nothing. */
export async function refund(idempotencyKey: string): Promise<void> {
  await db.delete(payments).where(eq(payments.key, idempotencyKey));
}
