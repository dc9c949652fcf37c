import type { Clock, Timer } from "../ports/clock.ts";
import type { ClaimType } from "../ports/exchange.ts";
import type { PausedType } from "../ports/pause.ts";

/**
 * The job types of a worker that are paused, as the store said with the last heartbeat. The worker does not name them in its claims,
 * so a paused type costs claims nothing. It is only a memory: the store decides at each claim what is paused.
 */
export interface PausedTypes {
  /** The types to claim. */
  readonly claimed: readonly ClaimType[];
  has(typeName: string): boolean;
  /** The store is asked. Returns a function to call with its reply: types that were resumed in the meantime do not count. */
  ask(): (paused: readonly PausedType[]) => void;
  /** A type was resumed: it is claimed again. */
  resume(typeName: string): void;
  /** Hints were missed: all types are claimed until the next reply of the store. */
  forget(): void;
  stop(): void;
}

interface PausedTypesOptions {
  readonly clock: Clock;
  readonly types: readonly ClaimType[];
  /** Called when types were paused that were not before. */
  readonly onPaused: () => void;
  /** Called when types may be claimed again. */
  readonly onResumed: () => void;
}

interface State extends PausedTypesOptions {
  claimed: readonly ClaimType[];
  /** When each pause ends by itself, by the worker's clock. */
  ends: ReadonlyMap<string, number>;
  /** The types that were resumed since the store was asked. */
  resumed: Set<string> | undefined;
  timer: Timer | undefined;
  stopped: boolean;
}

export function createPausedTypes(options: PausedTypesOptions): PausedTypes {
  const state: State = {
    ...options,
    claimed: options.types,
    ends: new Map(),
    resumed: undefined,
    timer: undefined,
    stopped: false,
  };
  return {
    get claimed() {
      return state.claimed;
    },
    has: (typeName) => state.ends.has(typeName),
    ask() {
      const resumed = new Set<string>();
      const askedAt = state.clock.now();
      state.resumed = resumed;
      return (paused) =>
        note(
          state,
          paused.filter(({ typeName }) => !resumed.has(typeName)),
          askedAt,
        );
    },
    resume(typeName) {
      state.resumed?.add(typeName);
      if (state.ends.has(typeName))
        set(
          state,
          without(state.ends, (name) => name === typeName),
        );
    },
    forget() {
      for (const { typeName } of state.types) state.resumed?.add(typeName);
      if (state.ends.size > 0) set(state, new Map());
    },
    stop() {
      state.stopped = true;
      state.timer?.cancel();
    },
  };
}

/** The store's reply. Its pauses end by its clock: counted from the request, none ends too late here. */
function note(state: State, paused: readonly PausedType[], askedAt: number): void {
  if (state.stopped || (paused.length === 0 && state.ends.size === 0)) return;
  const own = new Set(state.types.map(({ typeName }) => typeName));
  const before = state.ends;
  const ends = paused
    .filter(({ typeName }) => own.has(typeName))
    .map(({ typeName, endsInMs }) => [typeName, askedAt + (endsInMs ?? Infinity)] as const);
  set(state, new Map(ends));
  if (ends.some(([typeName]) => !before.has(typeName))) state.onPaused();
  if ([...before.keys()].some((typeName) => !state.ends.has(typeName))) state.onResumed();
}

function set(state: State, ends: ReadonlyMap<string, number>): void {
  state.ends = ends;
  state.claimed = ends.size === 0 ? state.types : state.types.filter(({ typeName }) => !ends.has(typeName));
  state.timer?.cancel();
  const first = Math.min(Infinity, ...ends.values());
  state.timer =
    first === Infinity ? undefined : state.clock.setTimer(() => endPassed(state), first - state.clock.now());
}

function endPassed(state: State): void {
  const now = state.clock.now();
  set(
    state,
    without(state.ends, (_, end) => end <= now),
  );
  state.onResumed();
}

function without(
  ends: ReadonlyMap<string, number>,
  isLeftOut: (typeName: string, end: number) => boolean,
): ReadonlyMap<string, number> {
  return new Map([...ends].filter(([typeName, end]) => !isLeftOut(typeName, end)));
}
