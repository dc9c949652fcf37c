import { ChainwrightError } from "../model/error.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Life } from "./life.ts";

export interface HeartOptions {
  readonly clock: Clock;
  readonly life: Life;
  /** Publishes a message that comes back. */
  readonly ping: () => Promise<void>;
  /** Asks the connection itself, for when nothing can be published. */
  readonly probe: (() => Promise<void>) | undefined;
  readonly whenSilent: string | undefined;
  /** What did not happen when no sign of life came, for the error. */
  readonly missing: string;
}

export interface Heart {
  /** Asks for a sign of life now, and from then on after every silence. */
  ask(): void;
  stop(): void;
}

/**
 * Silence after which a link sends a ping, varied by half a second: any message from any sender proves that the link works, so among many idle
 * processes one ping serves all. With the limit for the answer, a dead link is noticed within 4.5 seconds.
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

export function createHeart({ clock, life, ping, probe, whenSilent, missing }: HeartOptions): Heart {
  let timer: Timer | undefined;

  const wait = (): void => {
    if (life.isOver) return;
    const untilMs = quietMs + quietJitterMs * clock.random();
    // Clamped, for a clock may be set back.
    const leftMs = Math.min(untilMs, life.heardAt + untilMs - clock.now());
    if (leftMs <= 0) ask();
    else timer = clock.setTimer(wait, leftMs);
  };
  const ask = (): void => {
    if (life.isOver) return;
    const question: Question = { heardBefore: life.heard, published: false, answered: false, cause: undefined };
    ping().then(
      () => void (question.published = true),
      (error: unknown) => void (question.cause = error),
    );
    timer = clock.setTimer(() => askAgain(question), answerLimitMs / 2);
  };
  const askAgain = (question: Question): void => {
    if (life.isOver) return;
    if (!question.published && life.heard === question.heardBefore && probe !== undefined) {
      probe().then(
        () => {
          question.answered = true;
          life.prove();
        },
        (error: unknown) => void (question.cause = error),
      );
    }
    timer = clock.setTimer(() => void judge(question), answerLimitMs / 2);
  };
  const judge = async (question: Question): Promise<void> => {
    // The timer may be late because the process was busy; what lies in the socket is read first.
    await clock.yield();
    if (life.isOver) return;
    if (life.isProven && life.heard > question.heardBefore) wait();
    // A published message that did not come back is lost, even if the connection answers.
    else if (question.answered && !question.published) timer = clock.setTimer(ask, quietMs);
    else life.end(unanswered(missing, whenSilent, question.cause));
  };

  return {
    ask,
    stop: () => timer?.cancel(),
  };
}

function unanswered(missing: string, whenSilent: string | undefined, cause: unknown): ChainwrightError {
  const why = whenSilent === undefined ? "." : `: ${whenSilent}`;
  const message = `${missing} within ${answerLimitMs} ms${why}`;
  return new ChainwrightError("timeout", message, cause === undefined ? {} : { cause });
}
