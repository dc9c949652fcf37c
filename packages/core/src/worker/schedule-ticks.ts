import type { Engine } from "../engine/engine.ts";
import { createRepeat } from "../timing/repeat.ts";
import { renewZones } from "./renew-zones.ts";
import type { ChoreFailures } from "./chore-failures.ts";
import { createTickPass, spreadMs } from "./tick-pass.ts";

/** Writes the ticks of recurring schedules when they are due. It sends no statement while none is. */
export interface ScheduleTicks {
  start(): void;
  /** The reply of a heartbeat that was sent at that time, by the worker's clock. */
  note(nextTickInMs: number | undefined, askedAt: number): void;
  /** Schedules were changed, or hints about that were missed. */
  look(): void;
  stop(): Promise<void>;
}

/** After a pass that failed. */
const againMs = 1_000;
/** No timer of the runtime is longer than 24 days. */
const longestWaitMs = 3_600_000;

export function createScheduleTicks(engine: Engine, failures: ChoreFailures): ScheduleTicks {
  const { clock } = engine;
  const pass = createTickPass(engine);
  let lookAt = Infinity;
  let isZonesChecked = false;
  /** When schedules were last changed: a heartbeat that was sent before does not know that. */
  let changedAt = -Infinity;

  const draw = (): number => clock.random() * spreadMs;

  const repeat = createRepeat(clock, async () => {
    const wait = lookAt - clock.now();
    if (wait > 0) return Math.min(wait, longestWaitMs);
    lookAt = Infinity;
    const next = await failures.attempt("schedules", async () => {
      const inMs = await pass();
      if (isZonesChecked) return inMs;
      await renewZones(engine);
      isZonesChecked = true;
      // The renewal may have brought a tick nearer.
      return 0;
    });
    lookAt = Math.min(lookAt, clock.now() + Math.max(0, next ?? againMs));
    return Math.min(lookAt - clock.now(), longestWaitMs);
  });

  const lookFrom = (moment: number): void => {
    const isSooner = moment < lookAt;
    lookAt = moment;
    if (isSooner) repeat.hurry();
  };

  return {
    start: () => repeat.start(0),
    note(nextTickInMs, askedAt) {
      // The first look is at once: another version of the time zones may have computed the next tick, and too late.
      const inMs = isZonesChecked || nextTickInMs === undefined ? nextTickInMs : 0;
      const moment = inMs === undefined ? Infinity : askedAt + inMs + draw();
      if (askedAt > changedAt || moment < lookAt) lookFrom(moment);
    },
    look() {
      changedAt = clock.now();
      lookFrom(changedAt + draw());
    },
    stop: () => repeat.stop(),
  };
}
