import { ChainwrightError } from "../model/error.ts";
import type { Clock } from "../ports/clock.ts";
import type { ChannelLink, ChannelListener, MessageChannel } from "./channel.ts";
import { answerLimitMs, createHeart } from "./heart.ts";

/** What it takes to open a link and to see whether it lives. */
export interface LinkOptions {
  readonly clock: Clock;
  readonly channel: MessageChannel;
  /** A message that says nothing; it comes back over every link. */
  readonly pingMessage: string;
  readonly onMessage: (message: string) => void;
}

/** A link that was seen to carry messages, and is watched. */
export interface LiveLink {
  /** Resolves when nothing arrives any more, or the connection ended. */
  readonly lost: Promise<{ readonly error: unknown }>;
  close(): Promise<void>;
}

/** Resolves once messages sent from now on arrive: one of its own has come back, or the connection answers. */
export async function openLiveLink(options: LinkOptions, signal: AbortSignal): Promise<LiveLink> {
  const { clock, channel, pingMessage, onMessage } = options;
  const lost = Promise.withResolvers<{ readonly error: unknown }>();
  const first = Promise.withResolvers<void>();
  const life = { heard: 0, heardAt: clock.now(), over: false };
  const end = (error: unknown): void => {
    life.over = true;
    lost.resolve({ error });
  };
  const listener: ChannelListener = {
    onMessage(message) {
      if (life.over) return;
      life.heard += 1;
      life.heardAt = clock.now();
      first.resolve();
      onMessage(message);
    },
    onBroken: end,
  };
  const link = await openInTime(options, listener, signal);
  const heart = createHeart({
    clock,
    life,
    end,
    ping: () => channel.publish([pingMessage]),
    probe: link.probe,
    whenSilent: channel.whenSilent,
    onAlive: first.resolve,
  });
  const close = async (): Promise<void> => {
    life.over = true;
    heart.stop();
    await link.close().catch(() => undefined);
  };
  try {
    heart.ask();
    const failed = lost.promise.then(({ error }) => Promise.reject(error));
    await unlessAborted(signal, Promise.race([first.promise, failed]));
    return { lost: lost.promise, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openInTime(options: LinkOptions, listener: ChannelListener, signal: AbortSignal): Promise<ChannelLink> {
  const attempt = new AbortController();
  const timer = options.clock.setTimer(() => attempt.abort(tooSlow()), answerLimitMs);
  const either = AbortSignal.any([signal, attempt.signal]);
  const opening = options.channel.open(listener, either);
  // A channel that opens all the same has nobody to close it.
  const closeLate = (link: ChannelLink): void => void (either.aborted && link.close().catch(() => undefined));
  opening.then(closeLate, () => undefined);
  try {
    return await unlessAborted(either, opening);
  } finally {
    timer.cancel();
  }
}

/** What the promise brings, or a rejection with the signal's reason. */
async function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const tell = (): void => aborted.reject(signal.reason);
  if (signal.aborted) tell();
  signal.addEventListener("abort", tell);
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", tell);
  }
}

function tooSlow(): ChainwrightError {
  return new ChainwrightError("timeout", `the broker has not accepted a subscription within ${answerLimitMs} ms.`);
}
