import type { EventEmitter } from "node:events";
import type { NotifyAdapter, StateAdapter } from "chainwright";

/** A state adapter and a notify adapter, with what an application has opened for them. */
export interface Pair {
  readonly stateAdapter: StateAdapter;
  readonly notifyAdapter: NotifyAdapter;
  /** Breaks the connections of the notify adapter; undefined if it has none. */
  readonly cut: (() => void) | undefined;
  /** The application's own connections, on which adapters listen. */
  readonly emitters: readonly EventEmitter[];
  /** Closes the adapters, and then what was opened for them. */
  close(): Promise<void>;
}

/** The available servers. */
export interface Urls {
  readonly postgres?: string | undefined;
  readonly redis?: string | undefined;
  readonly nats?: string | undefined;
}
