/**
 * An accident at one statement:
 * - `dies-before`, `dies-after`: the process ends before the statement, or after the store has executed it;
 * - `fails-before`: the statement and its connection fail; the process survives;
 * - `reply-lost`: the store executes it, the reply never arrives, and the process survives.
 */
export type Accident = "dies-before" | "dies-after" | "fails-before" | "reply-lost";

/** Counts the statements of one process, and causes an accident at one of them. */
export interface Tripwire {
  /** Whether the accident has happened. */
  readonly tripped: boolean;
  /** Whether the process is dead: its further calls do not reach the store. */
  readonly dead: boolean;
  /** Called before a statement. Throws, or returns whether the accident happens after it has run. */
  enter(): boolean;
  /** Called after it, with the result of `enter`. */
  leave(isHere: boolean): void;
}

export interface TripwireOptions {
  readonly accident: Accident;
  /** From 1. */
  readonly at: number;
  /** The error that the client library throws when its connection breaks. */
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
      // It may have died during the statement.
      if (dead) throw broken();
      if (isHere) trip();
    },
  };
}

/** Runs one asynchronous statement. */
export async function overWire<T>(wire: Tripwire, run: () => Promise<T>): Promise<T> {
  const isHere = wire.enter();
  const value = await run();
  wire.leave(isHere);
  return value;
}

/** The same for a synchronous one. */
export function overWireNow<T>(wire: Tripwire, run: () => T): T {
  const isHere = wire.enter();
  const value = run();
  wire.leave(isHere);
  return value;
}
