import type { ChangeCalls } from "./change-calls.ts";
import type { AnyEnv } from "./env.ts";
import type { ReadCalls } from "./read-calls.ts";
import type { StartCalls } from "./start-calls.ts";

/**
 * Starts, reads and changes chains. Made by `createClient`; safe to share in a process.
 *
 * @example
 * type AppClient = typeof client; // a Client of its job types and transactions, which nobody has to spell out
 * async function placeOrder(client: AppClient, orderId: string) {
 *   return await client.startChain({ typeName: "order.place", input: { orderId } });
 * }
 */
export interface Client<in out E extends AnyEnv> extends StartCalls<E>, ReadCalls<E>, ChangeCalls<E>, AsyncDisposable {
  /**
   * Ends what the client opened; calls that still wait reject with `closed`. Idempotent. Stop its workers before: those that still
   * run go on, and keep the client's subscription until they stop.
   *
   * @example
   * await worker.stop();
   * await client.close();
   * await stateAdapter.close();
   */
  close(): Promise<void>;
}
