import type { Clock } from "../ports/clock.ts";

/** The state of a link. */
export interface Life {
  /** The number of messages that arrived, from any process. */
  readonly heard: number;
  readonly heardAt: number;
  /** Whether a message to itself has come back since it was opened, or the broker has replied to a probe. */
  readonly isProven: boolean;
  readonly isOver: boolean;
  /** Resolves when `isProven` becomes true. */
  readonly proven: Promise<void>;
  /** Resolves when messages no longer arrive, or the connection ended. */
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
