import type { ChangeCalls } from "./change-calls.ts";
import type { DoctorOptions, DoctorReport } from "./doctor.ts";
import type { AnyEnv } from "./env.ts";
import type { LimitCalls } from "./limit-calls.ts";
import type { NoteCalls } from "./note-calls.ts";
import type { PauseCalls } from "./pause-calls.ts";
import type { ReadCalls } from "./read-calls.ts";
import type { ScheduleCalls } from "./schedule-calls.ts";
import type { SignalCalls } from "./signal-calls.ts";
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
export interface Client<in out E extends AnyEnv>
  extends
    StartCalls<E>,
    ReadCalls<E>,
    ChangeCalls<E>,
    PauseCalls<E>,
    ScheduleCalls<E>,
    LimitCalls<E["tx"]>,
    SignalCalls<E>,
    NoteCalls<E>,
    AsyncDisposable {
  /**
   * Looks for faults of the store (jobs that no call can reach, leases of workers that no longer exist, deduplication keys that
   * no chain holds, wrong counts), and with `repair: true` repairs those that are safe to repair. It reads the store in bounded
   * pages and waits for no locks, so it may run beside workers; to compare counts it reads all jobs.
   *
   * A healthy store has no findings, under any load. Findings come from manual SQL, a partly restored backup, a damaged disk, or
   * a bug of the library.
   *
   * @throws `invalid-input` for options that it does not have
   * @example
   * const { findings } = await client.doctor();
   * for (const { problem, remedy } of findings) console.log(problem, remedy);
   * if (findings.some(({ status }) => status === "repairable")) await client.doctor({ repair: true });
   */
  doctor(options?: DoctorOptions): Promise<DoctorReport>;
  /**
   * Closes what the client opened; calls that still wait reject with `closed`. Idempotent. Stop its workers first: running workers
   * continue, and keep the client's subscription until they stop.
   *
   * @example
   * await worker.stop();
   * await client.close();
   * await stateAdapter.close();
   */
  close(): Promise<void>;
}
