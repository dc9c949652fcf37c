/**
 * What happens at one statement:
 * - `dies-before`, `dies-after`: the process ends before the statement, or after the store has carried it out;
 * - `fails-before`: the statement fails, and the connection with it; the process lives on;
 * - `reply-lost`: the store carries it out, the reply never arrives, and the process lives on.
 */
export type Accident = "dies-before" | "dies-after" | "fails-before" | "reply-lost";

/** Counts the statements of one process, and lets an accident happen at one of them. */
export interface Tripwire {
  /** Whether the accident has happened. */
  readonly tripped: boolean;
  /** Whether the process is dead: its further calls do not reach the store. */
  readonly dead: boolean;
  /** Before a statement. Throws, or returns whether the accident happens after it has run. */
  enter(): boolean;
  /** After it, with what `enter` said. */
  leave(isHere: boolean): void;
}

export interface TripwireOptions {
  readonly accident: Accident;
  /** From 1. */
  readonly at: number;
  /** What the client library throws when its connection breaks. */
  readonly broken: () => Error;
}

export function createTripwire({ accident, at, broken }: TripwireOptions): Tripwire {
  let statements = 0;
  let tripped = false;
  let dead = false;
  const trip = (): never => {
    tripped = true;
    dead = accident === "dies-before" || accident === "dies-after";
    throw broken();
  };
  return {
    get tripped() {
      return tripped;
    },
    get dead() {
      return dead;
    },
    enter: () => {
      if (dead) throw broken();
      statements += 1;
      if (tripped || statements !== at) return false;
      if (accident === "dies-before" || accident === "fails-before") trip();
      return true;
    },
    leave: (isHere) => {
      // It may have died while this was on its way.
      if (dead) throw broken();
      if (isHere) trip();
    },
  };
}

/** Runs one statement over the wire. */
export async function overWire<T>(wire: Tripwire, run: () => Promise<T>): Promise<T> {
  const isHere = wire.enter();
  const value = await run();
  wire.leave(isHere);
  return value;
}

/** The same for one that runs at once. */
export function overWireNow<T>(wire: Tripwire, run: () => T): T {
  const isHere = wire.enter();
  const value = run();
  wire.leave(isHere);
  return value;
}
