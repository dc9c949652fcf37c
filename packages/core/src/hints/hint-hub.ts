import type { Clock, Timer } from "../ports/clock.ts";
import type { Hint, NotifyAdapter } from "../ports/notify.ts";
import { createHintWire, type WireOptions } from "./hint-wire.ts";
import { mergeHints } from "./merge-hints.ts";
import type { NotificationHealth } from "./notification-state.ts";

/** Receives the hints of this process and of all others. */
export interface HubListener {
  onHints(hints: readonly Hint[]): void;
  /** Hints may have been missed: look in the store. */
  onLook(): void;
  /** From now on hints pass between this process and others: greet them. */
  onMeeting(): void;
}

/** A listener's place in the hub. */
export interface HubPlace {
  /** Resolves when hints of other processes arrive, or when the subscription has failed for now; `onLook` follows once it is open. */
  readonly opened: Promise<void>;
  leave(): void;
}

/**
 * The hints of a client. Those of its own process are delivered at once, without the broker; those of other processes arrive over
 * one subscription, which is opened for the first listener.
 */
export interface HintHub {
  /** Undefined without a notify adapter. */
  readonly health: NotificationHealth | undefined;
  /** False while hints may be lost in either direction, and before the subscription is open. */
  readonly isWell: boolean;
  listen(listener: HubListener): HubPlace;
  /** Sends hints to all processes, this one included, in a later microtask. */
  send(hints: readonly Hint[]): void;
  /** Sends the remaining hints, and closes the subscription. */
  close(): Promise<void>;
}

export interface HubOptions extends Pick<WireOptions, "clock" | "storeId" | "record"> {
  /** Undefined: there are no hints of other processes. */
  readonly notify: NotifyAdapter | undefined;
}

/** The shortest time between two looks that hints of other processes request. */
const lookPauseMs = 1_000;

export function createHintHub(options: HubOptions): HintHub {
  const listeners = new Set<HubListener>();
  const lookEverywhere = (): void => {
    for (const listener of listeners) listener.onLook();
  };
  const looks = atMostEach(options.clock, lookPauseMs, lookEverywhere);
  const hear = (hints: readonly Hint[]): void => {
    for (const listener of listeners) listener.onHints(hints);
    if (hints.some(({ kind }) => kind === "look")) looks.ask();
  };
  const meet = (): void => {
    for (const listener of listeners) listener.onMeeting();
  };
  const { notify } = options;
  const others =
    notify === undefined
      ? undefined
      : createHintWire({ ...options, notify, hear, lookEverywhere, meet, isHeard: () => listeners.size > 0 });
  let gathered: Hint[] = [];

  const flush = (): void => {
    const hints = mergeHints(gathered);
    gathered = [];
    hear(hints);
    others?.send(hints);
  };

  return {
    health: others?.state.health,
    get isWell() {
      return others === undefined || (others.isOpen() && others.state.isWell);
    },
    listen(listener) {
      listeners.add(listener);
      const opened = others?.open() ?? Promise.resolve();
      if (others?.isOpen() ?? true) listener.onMeeting();
      return { opened, leave: () => void listeners.delete(listener) };
    },
    send(hints) {
      if (hints.length === 0 || (others === undefined && listeners.size === 0)) return;
      if (gathered.length === 0) queueMicrotask(flush);
      for (const hint of hints) gathered.push(hint);
    },
    async close() {
      listeners.clear();
      looks.cancel();
      await others?.close();
    },
  };
}

/** Calls at most once in `pauseMs`. Requests during the pause cause one call at its end. */
function atMostEach(clock: Clock, pauseMs: number, call: () => void) {
  let timer: Timer | undefined;
  let isAsked = false;
  const begin = (): void => {
    isAsked = false;
    timer = clock.setTimer(() => {
      timer = undefined;
      if (isAsked) begin();
    }, pauseMs);
    call();
  };
  return {
    ask(): void {
      isAsked = true;
      if (timer === undefined) begin();
    },
    cancel: () => timer?.cancel(),
  };
}
