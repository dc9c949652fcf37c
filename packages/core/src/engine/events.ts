import type { ChainwrightEvent } from "../model/event.ts";
import type { Observer } from "../ports/observer.ts";
import { invalid } from "../checks/check-options.ts";

/** Receives the events of one commit together. */
export type EventListener = (events: readonly ChainwrightEvent[]) => void;

/** Where operations record what happened. Events of a transaction are held until it has committed. */
export interface EventLog {
  /** A transaction of the engine begins: all its events are held until they are taken. */
  begin(tx: unknown): void;
  /** Publishes at once, or holds the events of an open transaction. */
  record(events: readonly ChainwrightEvent[], tx: unknown): void;
  /** Takes out the events of a transaction: to publish them after its commit, or to drop them. */
  take(tx: unknown): readonly ChainwrightEvent[];
}

/** The most events kept for a transaction of the application: if its end is never reported, the oldest are dropped. */
const mostHeld = 10_000;

interface Held {
  readonly by: "engine" | "application";
  /** The store's own identity of the transaction, if it has one. */
  readonly transaction: unknown;
  readonly events: ChainwrightEvent[];
}

/** @param transactionOf distinguishes successive transactions of the application on one handle, see `StateAdapter`. */
export function createEventLog(
  listeners: readonly EventListener[],
  transactionOf: (tx: unknown) => unknown = () => undefined,
): EventLog {
  const held = new WeakMap<object, Held>();

  const publish = (events: readonly ChainwrightEvent[]): void => {
    if (events.length === 0) return;
    for (const listener of listeners) listener(events);
  };
  /** Drops the events of an earlier transaction on the same handle: it was rolled back, or its commit was not reported. */
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

/** Ignores what an observer throws or rejects with: observers must not affect the engine. */
export function observerListener(observer: Observer): EventListener {
  return (events) => {
    for (const event of events) {
      try {
        const result: unknown = observer(event);
        if (result instanceof Promise) result.catch(() => undefined);
      } catch {
        // Observers must not affect the engine.
      }
    }
  };
}

function asKey(tx: unknown): object {
  if ((typeof tx === "object" && tx !== null) || typeof tx === "function") return tx;
  throw invalid(`tx must be a transaction handle of the database client; got ${typeof tx}.`);
}
