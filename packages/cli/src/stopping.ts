import { setTimeout as wait } from "node:timers/promises";
import type { Call } from "./call.ts";

/** A signal that aborts when the person stops the program. */
export function stopSignal({ surroundings }: Call): AbortSignal {
  const stop = new AbortController();
  void surroundings.untilStopped().then(() => stop.abort());
  return stop.signal;
}

/** Waits, at most until the program is stopped. */
export async function pausing(ms: number, stopped: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal: stopped }).catch(() => undefined);
}
