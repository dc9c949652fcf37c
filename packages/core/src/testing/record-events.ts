import type { ChainwrightEvent } from "../model/event.ts";
import type { Observer } from "../ports/observer.ts";

/** An observer that keeps every event, and lets a test wait for one. */
export interface RecordedEvents {
  /** Pass it in `createClient({ observers: [events.observer] })`. */
  readonly observer: Observer;
  readonly all: readonly ChainwrightEvent[];
  /** The first event of a type that fits, past or to come. */
  next<Type extends ChainwrightEvent["type"]>(
    type: Type,
    fits?: (event: Extract<ChainwrightEvent, { readonly type: Type }>) => boolean,
  ): Promise<Extract<ChainwrightEvent, { readonly type: Type }>>;
}

/**
 * Records events, so that a test waits for what happened and not for time to pass.
 *
 * @example
 * const events = recordEvents();
 * const client = createClient({ stateAdapter, jobTypes, observers: [events.observer] });
 * await events.next("chain-failed", (event) => event.chainId === chain.id);
 */
export function recordEvents(): RecordedEvents {
  const all: ChainwrightEvent[] = [];
  const waits = new Set<(event: ChainwrightEvent) => boolean>();
  return {
    all,
    observer(event) {
      all.push(event);
      for (const wait of waits) if (wait(event)) waits.delete(wait);
    },
    next: (type, fits = () => true) =>
      new Promise((resolve) => {
        const take = (event: ChainwrightEvent): boolean => {
          if (!isOfType(event, type) || !fits(event)) return false;
          resolve(event);
          return true;
        };
        if (!all.some(take)) waits.add(take);
      }),
  };
}

function isOfType<Type extends ChainwrightEvent["type"]>(
  event: ChainwrightEvent,
  type: Type,
): event is Extract<ChainwrightEvent, { readonly type: Type }> {
  return event.type === type;
}
