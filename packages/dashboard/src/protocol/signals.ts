import type { PayloadView } from "./views.ts";

/**
 * A signal that an operator sends to a waiting step.
 *
 * @example
 * const lineOf = ({ typeName, signal }: SignalToSend) => `${typeName}: ${signal}`;
 */
export interface SignalToSend {
  /** The type of the step that waits for it. */
  readonly typeName: string;
  readonly signal: string;
  readonly payload: unknown;
}

/** A signal that a chain has received. */
export interface SignalView {
  readonly position: number;
  /** The type of step that it is for. */
  readonly typeName: string;
  readonly signal: string;
  readonly payload: PayloadView;
  readonly at: number;
  /** The job that took it. Undefined: it is buffered, or no step took it before the chain ended. */
  readonly takenBy: string | undefined;
}
