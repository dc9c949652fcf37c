import type { Engine } from "../engine/engine.ts";
import { createPatience } from "../engine/patience.ts";

/** What a worker does for the store beside its work: saying that it lives, and clearing away what has expired. */
export interface Upkeep {
  /** Called every round of the exchange loop; does something only when it is time. Never rejects, never waits. */
  perform(holds: number): void;
  /** Says goodbye, after what is under way has ended. */
  leave(): Promise<void>;
}

export interface UpkeepOptions {
  readonly workerId: string;
  readonly name: string;
  readonly typeNames: readonly string[];
  readonly concurrency: number;
  readonly pollIntervalMs: number;
  readonly retention: { readonly completedMs: number | undefined; readonly failedMs: number | undefined };
}

/** The shortest time between two heartbeats; a worker that polls more slowly speaks with every poll. */
const heartbeatMs = 10_000;
/** Heartbeats that may be missed before a worker counts as dead. */
const missedHeartbeats = 3;
/** Time between two passes of retention, varied so that workers take turns. */
const maintainMs = 60_000;
/** What takes longer has nobody at the other end; the next one is tried when its time comes round. */
const answerLimitMs = 30_000;
/** Chains removed in one pass: a bounded transaction. */
const maintainLimit = 1_000;

export function createUpkeep(engine: Engine, options: UpkeepOptions): Upkeep {
  const { state, clock, callOptions } = engine;
  const { workerId, name, typeNames, concurrency, retention } = options;
  const patience = createPatience(clock, { limitMs: answerLimitMs, who: "the store" });
  const everyMs = Math.max(heartbeatMs, options.pollIntervalMs);
  let heartbeatAt = -Infinity;
  let maintainAt = clock.now() + maintainMs * clock.random();
  let working: Promise<void> = Promise.resolve();

  const heartbeat = (holds: number, aliveForMs: number): Promise<void> =>
    patience(() => state.heartbeat({ workerId, name, typeNames, concurrency, holds, aliveForMs }, callOptions()));
  const maintain = async (): Promise<void> => {
    const { more } = await patience(() => state.maintain({ ...retention, limit: maintainLimit }, callOptions()));
    if (more) maintainAt = clock.now();
  };
  // One thing after the other; what fails is tried again when its time comes round.
  const queue = (work: () => Promise<void>): void => {
    working = working.then(work).catch(() => undefined);
  };

  return {
    perform(holds) {
      const now = clock.now();
      // The clock may have been set back.
      if (now >= heartbeatAt || now < heartbeatAt - everyMs) {
        heartbeatAt = now + everyMs;
        queue(() => heartbeat(holds, everyMs * missedHeartbeats));
      }
      if (now >= maintainAt || now < maintainAt - 2 * maintainMs) {
        maintainAt = now + maintainMs * (0.5 + clock.random());
        queue(maintain);
      }
    },
    async leave() {
      queue(() => heartbeat(0, 0));
      await working;
    },
  };
}
