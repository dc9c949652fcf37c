import type { ChainwrightEvent } from "../model/event.ts";
import type { Observer } from "../ports/observer.ts";
import { invalid } from "../checks/check-options.ts";

/** Receives the events of one commit together. */
export type EventListener = (events: readonly ChainwrightEvent[]) => void;

/** Where operations record what happened. Events of a transaction are held until it has committed. */
export interface EventLog {
  /** A transaction of the engine's own begins: all its events are held until they are taken. */
  begin(tx: unknown): void;
  /** Publishes at once, or holds the events of an open transaction. */
  record(events: readonly ChainwrightEvent[], tx: unknown): void;
  /** Takes out what is held for a transaction: to be published after its commit, or dropped. */
  take(tx: unknown): readonly ChainwrightEvent[];
}

/** Events kept for a transaction of the application's, of whose end the engine may never be told. */
const mostHeld = 10_000;

interface Held {
  readonly by: "engine" | "application";
  /** The store's own word for the transaction, where it has one. */
  readonly transaction: unknown;
  readonly events: ChainwrightEvent[];
}

/** @param transactionOf tells apart transactions that the application opened one after the other on one handle, see `StateAdapter`. */
export function createEventLog(
  listeners: readonly EventListener[],
  transactionOf: (tx: unknown) => unknown = () => undefined,
): EventLog {
  const held = new WeakMap<object, Held>();

  const publish = (events: readonly ChainwrightEvent[]): void => {
    if (events.length === 0) return;
    for (const listener of listeners) listener(events);
  };
  /** What is left of the transaction before it is dropped: that was rolled back, or committed and no one has said so. */
  const heldFor = (tx: unknown): Held => {
    const key = asKey(tx);
    const transaction = transactionOf(tx);
    const known = held.get(key);
    if (known?.by === "engine" || (known !== undefined && known.transaction === transaction)) return known;
    const fresh: Held = { by: "application", transaction, events: [] };
    held.set(key, fresh);
    return fresh;
  };

  return {
    begin(tx) {
      held.set(asKey(tx), { by: "engine", transaction: undefined, events: [] });
    },
    record(events, tx) {
      if (tx === undefined) return publish(events);
      const { by, events: kept } = heldFor(tx);
      for (const event of events) kept.push(event);
      if (by === "application" && kept.length > mostHeld) kept.splice(0, kept.length - mostHeld / 2);
    },
    take(tx) {
      const { events } = heldFor(tx);
      held.delete(asKey(tx));
      return events;
    },
  };
}

/** Makes an observer harmless: what it throws or rejects with is dropped, for there is nobody it would concern. */
export function observerListener(observer: Observer): EventListener {
  return (events) => {
    for (const event of events) {
      try {
        const result: unknown = observer(event);
        if (result instanceof Promise) result.catch(() => undefined);
      } catch {
        // An observer changes nothing, not even by failing.
      }
    }
  };
}

function asKey(tx: unknown): object {
  if ((typeof tx === "object" && tx !== null) || typeof tx === "function") return tx;
  throw invalid("a transaction handle is an object of the database client.");
}
