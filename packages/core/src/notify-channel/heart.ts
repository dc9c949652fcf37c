import { ChainwrightError } from "../model/error.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Life } from "./life.ts";

export interface HeartOptions {
  readonly clock: Clock;
  readonly life: Life;
  /** Publishes a message that comes back. */
  readonly ping: () => Promise<void>;
  /** Checks the connection itself, if nothing can be published. */
  readonly probe: (() => Promise<void>) | undefined;
  readonly whenSilent: string | undefined;
  /** The text of the error when no sign of life comes: what did not happen. */
  readonly missing: string;
}

export interface Heart {
  /** Requests a sign of life now, and again after each silence. */
  ask(): void;
  stop(): void;
}

/**
 * A link sends a ping after this silence, varied by half a second. Any message from any sender proves that the link works, so
 * one ping serves many idle processes. With the limit for the reply, a dead link is noticed within 4.5 seconds.
 */
const quietMs = 2_000;
const quietJitterMs = 500;
/** How long a reply may take. */
export const replyLimitMs = 2_000;

interface Question {
  /** The number of messages received before the question. */
  readonly heardBefore: number;
  published: boolean;
  replied: boolean;
  cause: unknown;
}

export function createHeart({ clock, life, ping, probe, whenSilent, missing }: HeartOptions): Heart {
  let timer: Timer | undefined;

  const wait = (): void => {
    if (life.isOver) return;
    const untilMs = quietMs + quietJitterMs * clock.random();
    // Clamped, because a clock may be set back.
    const leftMs = Math.min(untilMs, life.heardAt + untilMs - clock.now());
    if (leftMs <= 0) ask();
    else timer = clock.setTimer(wait, leftMs);
  };
  const ask = (): void => {
    if (life.isOver) return;
    const question: Question = { heardBefore: life.heard, published: false, replied: false, cause: undefined };
    ping().then(
      () => void (question.published = true),
      (error: unknown) => void (question.cause = error),
    );
    timer = clock.setTimer(() => askAgain(question), replyLimitMs / 2);
  };
  const askAgain = (question: Question): void => {
    if (life.isOver) return;
    if (!question.published && life.heard === question.heardBefore && probe !== undefined) {
      probe().then(
        () => {
          question.replied = true;
          life.prove();
        },
        (error: unknown) => void (question.cause = error),
      );
    }
    timer = clock.setTimer(() => void judge(question), replyLimitMs / 2);
  };
  const judge = async (question: Question): Promise<void> => {
    // The timer may be late because the process was busy, so the socket is read first.
    await clock.yield();
    if (life.isOver) return;
    if (life.isProven && life.heard > question.heardBefore) wait();
    // A published message that did not come back is lost, even if the connection replies to the probe.
    else if (question.replied && !question.published) timer = clock.setTimer(ask, quietMs);
    else life.end(silenceError(missing, whenSilent, question.cause));
  };

  return {
    ask,
    stop: () => timer?.cancel(),
  };
}

function silenceError(missing: string, whenSilent: string | undefined, cause: unknown): ChainwrightError {
  const why = whenSilent === undefined ? "." : `: ${whenSilent}`;
  const message = `${missing} within ${replyLimitMs} ms${why}`;
  return new ChainwrightError("timeout", message, cause === undefined ? {} : { cause });
}
