import type { ChainEvent, ChainwrightEvent, EventError } from "../model/event.ts";
import type { Observer } from "../ports/observer.ts";
import { invalid } from "./check-options.ts";
import { describeError } from "./describe-error.ts";

/** Receives the events of one commit together. */
export type EventListener = (events: readonly ChainwrightEvent[]) => void;

/** Where operations record what happened. Events of a transaction are held until it has committed. */
export interface EventLog {
  /** Publishes at once, or holds the events of an open transaction. */
  record(events: readonly ChainwrightEvent[], tx: unknown): void;
  /** Takes out what is held for a transaction: to be published after its commit, or dropped. */
  take(tx: unknown): readonly ChainwrightEvent[];
}

/** Events kept for one open transaction. */
const mostHeld = 200_000;

export function createEventLog(listeners: readonly EventListener[]): EventLog {
  const held = new WeakMap<object, ChainwrightEvent[]>();

  const publish = (events: readonly ChainwrightEvent[]): void => {
    if (events.length === 0) return;
    for (const listener of listeners) listener(events);
  };

  return {
    record(events, tx) {
      if (tx === undefined) return publish(events);
      const key = asKey(tx);
      const kept = held.get(key) ?? [];
      for (const event of events) kept.push(event);
      // A handle that lives on, and nobody who says `committed`: what is told late is better lost than a process full of it.
      if (kept.length > mostHeld) kept.splice(0, kept.length - mostHeld / 2);
      held.set(key, kept);
    },
    take(tx) {
      const key = asKey(tx);
      const events = held.get(key) ?? [];
      held.delete(key);
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

/** An error as events tell it. */
export function eventError(error: unknown): EventError {
  const { name, message } = describeError(error);
  return { name, message };
}

/** Events that may wake somebody or end a wait carry a chain. */
export function isChainEvent(event: ChainwrightEvent): event is ChainEvent {
  return "chainId" in event;
}

function asKey(tx: unknown): object {
  if ((typeof tx === "object" && tx !== null) || typeof tx === "function") return tx;
  throw invalid("a transaction handle is an object of the database client.");
}
