import type { NotifyAdapter, StateAdapter } from "chainwright";

declare const transaction: unique symbol;

/** The handle of a transaction; only the store that created it reads it. */
export interface RollingTx {
  readonly [transaction]: never;
}

/** What a handler writes in the transaction that ends its job. */
export interface Effect {
  readonly jobId: string;
  readonly chainId: string;
  readonly attempt: number;
  /** How many attempts the handler let fail before this one. */
  readonly asked: number;
  readonly release: string;
  /** What the handler should not have got, if anything. */
  readonly wrong: string | null;
}

export interface RollingStore {
  readonly stateAdapter: StateAdapter<RollingTx>;
  readonly notifyAdapter: NotifyAdapter;
  /** Writes an effect; no unique key prevents a second one. */
  readonly record: (tx: RollingTx, effect: Effect) => Promise<void>;
  readonly close: () => Promise<void>;
}
