import type { Clock } from "../ports/clock.ts";

/** What is known of a link. */
export interface Life {
  /** Messages that arrived, from any process. */
  readonly heard: number;
  readonly heardAt: number;
  /** Whether its own message has come back since it was opened, or it has answered. */
  readonly isProven: boolean;
  readonly isOver: boolean;
  /** Resolves when it is proven. */
  readonly proven: Promise<void>;
  /** Resolves when nothing arrives any more, or the connection ended. */
  readonly lost: Promise<{ readonly error: unknown }>;
  note(): void;
  prove(): void;
  end(error: unknown): void;
}

export function createLife(clock: Clock): Life {
  const proven = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<{ readonly error: unknown }>();
  const life = {
    heard: 0,
    heardAt: clock.now(),
    isProven: false,
    isOver: false,
    proven: proven.promise,
    lost: lost.promise,
    note() {
      life.heard += 1;
      life.heardAt = clock.now();
    },
    prove() {
      life.isProven = true;
      proven.resolve();
    },
    end(error: unknown) {
      life.isOver = true;
      lost.resolve({ error });
    },
  };
  return life;
}
