import { ChainwrightError } from "../model/error.ts";
import type { Clock } from "../ports/clock.ts";
import { setReplyLimit } from "./reply-limit.ts";
import type { ChannelLink, ChannelListener, MessageChannel } from "./channel.ts";
import { replyLimitMs, createHeart, type HeartOptions } from "./heart.ts";
import { createLife, type Life } from "./life.ts";

/** The parts needed to open a link and to check whether it works. */
export interface LinkOptions {
  readonly clock: Clock;
  readonly channel: MessageChannel;
  /** A message without content, which comes back over every link. */
  readonly pingMessage: string;
  /** Returns whether the message shows that hints arrive. */
  readonly onMessage: (message: string) => boolean;
}

/** A link that has carried a message, and that a heartbeat checks. */
export interface LiveLink {
  /** Resolves when messages no longer arrive, or the connection ended. */
  readonly lost: Promise<{ readonly error: unknown }>;
  close(): Promise<void>;
}

/**
 * Resolves when messages sent from now on arrive: a message to itself has come back, or the connection has replied to a probe.
 * Messages of other processes are not enough: a process that may listen but not publish would seem to work.
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

/** Returns how a link is checked for a sign of life. */
function signsOfLife(
  { channel, pingMessage }: LinkOptions,
  link: ChannelLink,
  life: Life,
  signal: AbortSignal,
): Pick<HeartOptions, "ping" | "probe" | "missing" | "whenSilent"> {
  const { whenSilent } = channel;
  if (channel.provenBy !== "probe") {
    const missing = "a message that this process sent to itself has not come back";
    return { ping: () => channel.publish([pingMessage], signal), probe: link.probe, missing, whenSilent };
  }
  const probe = async (): Promise<void> => {
    await link.probe?.();
    life.note();
    life.prove();
  };
  return {
    ping: probe,
    probe: undefined,
    missing: "the broker has not replied on the listening connection",
    whenSilent,
  };
}

async function openInTime(options: LinkOptions, listener: ChannelListener, signal: AbortSignal): Promise<ChannelLink> {
  const attempt = new AbortController();
  const limit = setReplyLimit(options.clock, replyLimitMs, () => attempt.abort(tooSlow()));
  const either = AbortSignal.any([signal, attempt.signal]);
  const opening = options.channel.open(listener, either);
  // A link that opens too late has no owner that would close it.
  const closeLate = (link: ChannelLink): void => void (either.aborted && link.close().catch(() => undefined));
  opening.then(closeLate, () => undefined);
  try {
    return await unlessAborted(either, opening);
  } finally {
    limit.cancel();
  }
}

/** Returns the promise's result, or rejects with the signal's reason. */
async function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const reject = (): void => aborted.reject(signal.reason);
  if (signal.aborted) reject();
  signal.addEventListener("abort", reject);
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", reject);
  }
}

function tooSlow(): ChainwrightError {
  return new ChainwrightError("timeout", `the broker has not accepted a subscription within ${replyLimitMs} ms.`);
}
