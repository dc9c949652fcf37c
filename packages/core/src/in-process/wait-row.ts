import type { ReceivedSignal, WaitRecord } from "../model/signal.ts";

/** What a job waits for, or has waited for. Replaced, never changed. */
export interface WaitRow extends WaitRecord {
  readonly received: readonly ReceivedSignal[];
}
