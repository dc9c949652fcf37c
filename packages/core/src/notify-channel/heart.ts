import { ChainwrightError } from "../model/error.ts";
import type { Clock, Timer } from "../ports/clock.ts";

/** What is known of a link. */
export interface Life {
  /** Messages that arrived, from whomever. */
  readonly heard: number;
  readonly heardAt: number;
  readonly over: boolean;
}

export interface HeartOptions {
  readonly clock: Clock;
  readonly life: Life;
  /** Publishes a message that comes back. */
  readonly ping: () => Promise<void>;
  /** Asks the connection itself, for when nothing can be published. */
  readonly probe: (() => Promise<void>) | undefined;
  /** Called when the connection answered a probe. */
  readonly onAlive: () => void;
  /** Called when no sign of life came. */
  readonly end: (error: unknown) => void;
  readonly whenSilent: string | undefined;
}

export interface Heart {
  /** Asks for a sign of life now, and from then on after every silence. */
  ask(): void;
  stop(): void;
}

/**
 * Silence after which one asks, varied by half a second: any message is a sign of life, whoever sent it, so of many idle
 * processes the first to ask asks for all. With the limit for the answer, a dead link is noticed within 4.5 seconds.
 */
const quietMs = 2_000;
const quietJitterMs = 500;
/** How long an answer may take. */
export const answerLimitMs = 2_000;

interface Question {
  /** Messages heard before it was asked. */
  readonly heardBefore: number;
  published: boolean;
  answered: boolean;
  cause: unknown;
}

export function createHeart({ clock, life, ping, probe, onAlive, end, whenSilent }: HeartOptions): Heart {
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
    const question: Question = { heardBefore: life.heard, published: false, answered: false, cause: undefined };
    ping().then(
      () => void (question.published = true),
      (error: unknown) => void (question.cause = error),
    );
    timer = clock.setTimer(() => askAgain(question), answerLimitMs / 2);
  };
  const askAgain = (question: Question): void => {
    if (life.over) return;
    if (!question.published && life.heard === question.heardBefore && probe !== undefined) {
      probe().then(
        () => {
          question.answered = true;
          onAlive();
        },
        (error: unknown) => void (question.cause = error),
      );
    }
    timer = clock.setTimer(() => void judge(question), answerLimitMs / 2);
  };
  const judge = async (question: Question): Promise<void> => {
    // The timer may be late because the process was busy; what lies in the socket is read first.
    await clock.yield();
    if (life.over) return;
    if (life.heard > question.heardBefore) wait();
    // What was published and not heard is lost, however well the connection answers.
    else if (question.answered && !question.published) timer = clock.setTimer(ask, quietMs);
    else end(unanswered(whenSilent, question.cause));
  };

  return {
    ask,
    stop: () => timer?.cancel(),
  };
}

function unanswered(whenSilent: string | undefined, cause: unknown): ChainwrightError {
  const why = whenSilent ?? "the subscription is dead, or what is published does not reach it.";
  const message = `a message to itself has not come back within ${answerLimitMs} ms: ${why}`;
  return new ChainwrightError("timeout", message, cause === undefined ? {} : { cause });
}
