import type { ChangeCalls } from "./change-calls.ts";
import type { DoctorOptions, DoctorReport } from "./doctor.ts";
import type { AnyEnv } from "./env.ts";
import type { ReadCalls } from "./read-calls.ts";
import type { StartCalls } from "./start-calls.ts";

/**
 * Starts, reads and changes chains. Made by `createClient`; safe to share in a process.
 *
 * @example
 * type AppClient = typeof client; // a Client of its job types and transactions, inferred
 * async function placeOrder(client: AppClient, orderId: string) {
 *   return await client.startChain({ typeName: "order.place", input: { orderId } });
 * }
 */
export interface Client<in out E extends AnyEnv> extends StartCalls<E>, ReadCalls<E>, ChangeCalls<E>, AsyncDisposable {
  /**
   * Looks for what should never be (jobs that no call can reach, leases of workers that are gone, deduplication keys that no chain
   * holds, counts that are wrong), and with `repair: true` mends what is safe to mend. It reads the store in bounded pages
   * and waits for no one, so it may run beside workers; all jobs are read to compare counts.
   *
   * A healthy store has no findings, under any load. What is reported comes from SQL by hand, a backup that was restored in
   * parts, a damaged disk, or a fault of the library.
   *
   * @throws `invalid-input` for options that it does not have
   * @example
   * const { findings } = await client.doctor();
   * for (const { problem, remedy } of findings) console.log(problem, remedy);
   * if (findings.some(({ status }) => status === "repairable")) await client.doctor({ repair: true });
   */
  doctor(options?: DoctorOptions): Promise<DoctorReport>;
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
