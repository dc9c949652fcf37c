import type { ReceivedSignal, WaitRecord } from "chainwright/adapter";

/** States of a waiting job in the hot table: with an end, which promotes it like a scheduled job, and without one. */
export const [timed, untimed] = [1, 5];

/** A wait as stored in one column. */
export function storedWait({ until, collect, topics }: WaitRecord): string {
  return JSON.stringify({ until, collect, topics });
}

export function storedReceived(received: readonly ReceivedSignal[]): string {
  return JSON.stringify(received);
}
