/**
 * Time, timers and randomness, from one place, so that tests can replay a whole run.
 *
 * @example
 * const right = createVirtualClock();
 * const fast: Clock = { ...right, now: () => right.now() + 3_600_000 }; // an hour ahead
 * const client = createClient({ stateAdapter, jobTypes, clock: fast });
 */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, no earlier than `delayMs` from now. Delays above 2^31 - 1 ms are allowed. */
  setTimer(callback: () => void, delayMs: number): Timer;
  /** Resolves in a later turn of the event loop, so that input and timers get their turn. */
  yield(): Promise<void>;
  /** A number in [0, 1). */
  random(): number;
  /** Fills the array with random bytes. */
  randomBytes(bytes: Uint8Array): Uint8Array;
  /**
   * Whether this clock replaces the store's: its `now()` is then passed with every call to the state adapter.
   * False for the system clock: due times and leases then use the store's own time.
   */
  readonly virtual: boolean;
  /** Lets time stand still until the work has ended, because it takes real time. Clocks that cannot be held leave it out. */
  readonly holdDuring?: ((work: Promise<unknown>) => void) | undefined;
}

/** A timer that has been set. */
export interface Timer {
  cancel(): void;
}
