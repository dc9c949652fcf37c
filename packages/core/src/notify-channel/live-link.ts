import { ChainwrightError } from "../model/error.ts";
import type { Clock } from "../ports/clock.ts";
import { setAnswerLimit } from "./answer-limit.ts";
import type { ChannelLink, ChannelListener, MessageChannel } from "./channel.ts";
import { answerLimitMs, createHeart, type HeartOptions } from "./heart.ts";
import { createLife, type Life } from "./life.ts";

/** What it takes to open a link and to see whether it lives. */
export interface LinkOptions {
  readonly clock: Clock;
  readonly channel: MessageChannel;
  /** A message that says nothing; it comes back over every link. */
  readonly pingMessage: string;
  /** Returns whether the message shows that hints arrive. */
  readonly onMessage: (message: string) => boolean;
}

/** A link that was seen to carry messages, and is watched. */
export interface LiveLink {
  /** Resolves when nothing arrives any more, or the connection ended. */
  readonly lost: Promise<{ readonly error: unknown }>;
  close(): Promise<void>;
}

/**
 * Resolves once messages sent from now on arrive: one of its own has come back, or the connection answers. Messages of others are not
 * enough: a process that may listen and whose own messages vanish would seem well.
 */
export async function openLiveLink(options: LinkOptions, signal: AbortSignal): Promise<LiveLink> {
  const { clock, pingMessage, onMessage } = options;
  const life = createLife(clock);
  const pinging = new AbortController();
  const listener: ChannelListener = {
    onMessage(message) {
      if (life.isOver) return;
      if (onMessage(message)) life.note();
      if (message === pingMessage) life.prove();
    },
    onBroken: life.end,
  };
  const link = await openInTime(options, listener, signal);
  const heart = createHeart({ clock, life, ...signsOfLife(options, link, life, pinging.signal) });
  const close = async (): Promise<void> => {
    life.end(undefined);
    pinging.abort();
    heart.stop();
    await link.close().catch(() => undefined);
  };
  try {
    heart.ask();
    const failed = life.lost.then(({ error }) => Promise.reject(error));
    await unlessAborted(signal, Promise.race([life.proven, failed]));
    return { lost: life.lost, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** How a link is asked for a sign of life. */
function signsOfLife(
  { channel, pingMessage }: LinkOptions,
  link: ChannelLink,
  life: Life,
  signal: AbortSignal,
): Pick<HeartOptions, "ping" | "probe" | "missing" | "whenSilent"> {
  const { whenSilent } = channel;
  if (channel.provenBy !== "answer") {
    const missing = "a message that this process sent to itself has not come back";
    return { ping: () => channel.publish([pingMessage], signal), probe: link.probe, missing, whenSilent };
  }
  const answer = async (): Promise<void> => {
    await link.probe?.();
    life.note();
    life.prove();
  };
  return { ping: answer, probe: undefined, missing: "the connection that listens has not answered", whenSilent };
}

async function openInTime(options: LinkOptions, listener: ChannelListener, signal: AbortSignal): Promise<ChannelLink> {
  const attempt = new AbortController();
  const limit = setAnswerLimit(options.clock, answerLimitMs, () => attempt.abort(tooSlow()));
  const either = AbortSignal.any([signal, attempt.signal]);
  const opening = options.channel.open(listener, either);
  // A channel that opens after all has no owner that would close it.
  const closeLate = (link: ChannelLink): void => void (either.aborted && link.close().catch(() => undefined));
  opening.then(closeLate, () => undefined);
  try {
    return await unlessAborted(either, opening);
  } finally {
    limit.cancel();
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
