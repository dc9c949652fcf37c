import { ChainwrightError } from "../model/error.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { ChannelLink, ChannelListener } from "./channel.ts";

/** What it takes to open a link and to see whether it lives. */
export interface LinkOptions {
  readonly clock: Clock;
  readonly open: (listener: ChannelListener, signal: AbortSignal) => Promise<ChannelLink>;
  /** Sends a message that comes back over every link, this one included. */
  readonly ping: () => Promise<void>;
  readonly onMessage: (message: string) => void;
}

/** A link that was seen to carry messages, and is watched. */
export interface LiveLink {
  /** Resolves when nothing arrives any more, or the connection ended. */
  readonly lost: Promise<{ readonly error: unknown }>;
  close(): Promise<void>;
}

/**
 * Silence after which one asks for a sign of life, varied by half a second: any message is one, whoever sent it, so of many
 * idle processes the first to ask asks for all. With the limit for the answer, a dead link is noticed within 4.5 seconds.
 */
const quietMs = 2_000;
const quietJitterMs = 500;
/** How long opening may take, and an answer. */
export const answerLimitMs = 2_000;

/** Resolves once messages sent from now on arrive: one of its own has come back. */
export async function openLiveLink(options: LinkOptions, signal: AbortSignal): Promise<LiveLink> {
  const { clock, onMessage } = options;
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
  const heart = createHeart(options, life, end);
  const close = async (): Promise<void> => {
    life.over = true;
    heart.stop();
    await link.close().catch(() => undefined);
  };
  try {
    heart.ask();
    const failed = lost.promise.then(({ error }) => Promise.reject(error));
    await unlessAborted(signal, Promise.race([first.promise, failed]));
  } catch (error) {
    await close();
    throw error;
  }
  return { lost: lost.promise, close };
}

interface Life {
  readonly heard: number;
  readonly heardAt: number;
  readonly over: boolean;
}

interface Heart {
  ask(): void;
  stop(): void;
}

/** Asks for a sign of life after a silence, and ends the life of a link that gives none. */
function createHeart({ clock, ping }: LinkOptions, life: Life, end: (error: unknown) => void): Heart {
  let timer: Timer | undefined;

  const wait = (): void => {
    if (life.over) return;
    const untilMs = quietMs + quietJitterMs * clock.random();
    // Clamped, for a clock may be set back.
    const leftMs = Math.min(untilMs, life.heardAt + untilMs - clock.now());
    if (leftMs <= 0) ask();
    else timer = clock.setTimer(wait, leftMs);
  };
  const ask = (): void => {
    if (life.over) return;
    const { heard } = life;
    let cause: unknown;
    ping().catch((error: unknown) => void (cause = error));
    timer = clock.setTimer(() => void judge(heard, () => cause), answerLimitMs);
  };
  const judge = async (heardBefore: number, cause: () => unknown): Promise<void> => {
    // The timer may be late because the process was busy; what lies in the socket is read first.
    await clock.yield();
    if (life.over) return;
    if (life.heard > heardBefore) wait();
    else end(unanswered(cause()));
  };

  return {
    ask,
    stop: () => timer?.cancel(),
  };
}

async function openInTime(options: LinkOptions, listener: ChannelListener, signal: AbortSignal): Promise<ChannelLink> {
  const attempt = new AbortController();
  const timer = options.clock.setTimer(() => attempt.abort(tooSlow()), answerLimitMs);
  const either = AbortSignal.any([signal, attempt.signal]);
  const opening = options.open(listener, either);
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

function unanswered(cause: unknown): ChainwrightError {
  const message = `a message to itself has not come back within ${answerLimitMs} ms: the subscription is dead, or what is published does not reach it.`;
  return new ChainwrightError("timeout", message, cause === undefined ? {} : { cause });
}
