import type { ProcessClock, Scheduler } from "./scheduler.ts";

/** Whether one simulated process lives, and what it has of its own. */
export interface Life {
  readonly clock: ProcessClock;
  readonly random: () => number;
  /** Rejects when the process dies; its open transactions are then rolled back. */
  readonly death: Promise<never>;
  isDead(): boolean;
  die(): void;
}

export function createLife(scheduler: Scheduler, skewMs: number, random: () => number): Life {
  const clock = scheduler.clock(skewMs, random);
  let dead = false;
  let onDeath: (reason: Error) => void = () => undefined;
  const death = new Promise<never>((_, reject) => (onDeath = reject));
  death.catch(() => undefined);
  return {
    clock,
    random,
    death,
    isDead: () => dead,
    die() {
      dead = true;
      clock.kill();
      onDeath(new Error("the process died"));
    },
  };
}
