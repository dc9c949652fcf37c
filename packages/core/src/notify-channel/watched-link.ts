import { backoffMs } from "../model/backoff.ts";
import { isForGood } from "../hints/notification-state.ts";
import { openLiveLink } from "./live-link.ts";
import type { LinkOptions, LiveLink } from "./live-link.ts";

export interface WatchOptions extends LinkOptions {
  /** Called when messages may be missing: once before each `onRestored`, and once more if the link cannot be restored. */
  readonly onLost: (error: unknown) => void;
  readonly onRestored: () => void;
}

/** A link that reopens by itself when it is lost. */
export interface WatchedLink {
  /** The reason why messages may be missing; undefined while they arrive. */
  readonly lost: { readonly error: unknown } | undefined;
  /** Resolves when everything is closed. */
  close(): Promise<void>;
}

/** Short enough that a restored broker is found within five seconds, including the time to open the link. */
const reopenBackoff = { initialMs: 100, multiplier: 2, maxMs: 2_000, jitter: 0.2 };

/** Resolves when messages arrive; rejects when the first opening fails. */
export async function openWatchedLink(options: WatchOptions): Promise<WatchedLink> {
  const closing = new AbortController();
  const first = await openLiveLink(options, closing.signal);
  let lost: WatchedLink["lost"];
  const lose = (error: unknown): void => {
    lost = { error };
    options.onLost(error);
  };

  const watch = async (): Promise<void> => {
    let link: LiveLink | undefined = first;
    while (link !== undefined) {
      const error = await endOf(link, closing.signal);
      await link.close();
      if (closing.signal.aborted) return;
      lose(error);
      link = isForGood(error) ? undefined : await reopen(options, closing.signal, lose);
      if (link === undefined) return;
      lost = undefined;
      options.onRestored();
    }
  };
  const watching = watch();

  return {
    get lost() {
      return lost;
    },
    close() {
      closing.abort();
      return watching;
    },
  };
}

/** Returns `undefined` when the signal aborted, or when a retry cannot succeed. */
async function reopen(
  options: LinkOptions,
  signal: AbortSignal,
  onForGood: (error: unknown) => void,
): Promise<LiveLink | undefined> {
  const { clock } = options;
  for (let failures = 1; !signal.aborted; failures += 1) {
    await pause(options, backoffMs(reopenBackoff, failures, clock.random()), signal);
    try {
      if (!signal.aborted) return await openLiveLink(options, signal);
    } catch (error) {
      // The broker is still down, which `onLost` has already reported.
      if (!isForGood(error)) continue;
      onForGood(error);
      return undefined;
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
