import { backoffMs } from "../model/backoff.ts";
import { openLiveLink } from "./live-link.ts";
import type { LinkOptions, LiveLink } from "./live-link.ts";

export interface WatchOptions extends LinkOptions {
  /** Messages may be missing from now on. Told once, until `onRestored`. */
  readonly onLost: (error: unknown) => void;
  readonly onRestored: () => void;
}

/** A link that is opened again, by itself, whenever it is lost. */
export interface WatchedLink {
  /** False while messages may be missing. */
  readonly stands: boolean;
  /** Resolves when nothing is open any more. */
  close(): Promise<void>;
}

/** Short enough that a broker which is back is found within five seconds, with all that opening may take. */
const reopenBackoff = { initialMs: 100, multiplier: 2, maxMs: 2_000, jitter: 0.2 };

/** Resolves once messages arrive; rejects when the first opening fails. */
export async function openWatchedLink(options: WatchOptions): Promise<WatchedLink> {
  const closing = new AbortController();
  let live: LiveLink | undefined = await openLiveLink(options, closing.signal);

  const watch = async (first: LiveLink): Promise<void> => {
    let standing: LiveLink | undefined = first;
    while (standing !== undefined) {
      const error = await endOf(standing, closing.signal);
      live = undefined;
      await standing.close();
      if (closing.signal.aborted) return;
      options.onLost(error);
      standing = await reopen(options, closing.signal);
      live = standing;
      if (standing !== undefined) options.onRestored();
    }
  };
  const watching = watch(live);

  return {
    get stands() {
      return live !== undefined;
    },
    close() {
      closing.abort();
      return watching;
    },
  };
}

/** Undefined when it was told to stop. */
async function reopen(options: LinkOptions, signal: AbortSignal): Promise<LiveLink | undefined> {
  const { clock } = options;
  for (let failures = 1; !signal.aborted; failures += 1) {
    await pause(options, backoffMs(reopenBackoff, failures, clock.random()), signal);
    try {
      if (!signal.aborted) return await openLiveLink(options, signal);
    } catch {
      // Still away; it was told when it was lost.
    }
  }
  return undefined;
}

function pause({ clock }: LinkOptions, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = clock.setTimer(end, ms);
    signal.addEventListener("abort", end);
  });
}

function endOf(live: LiveLink, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    const end = (error: unknown): void => {
      signal.removeEventListener("abort", stop);
      resolve(error);
    };
    const stop = (): void => end(signal.reason);
    signal.addEventListener("abort", stop);
    void live.lost.then(({ error }) => end(error));
  });
}
