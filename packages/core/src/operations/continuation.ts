import type { StartItem } from "./prepare-start.ts";

/** The value of `continueWith`: a handler returns it to continue the chain with another step. */
export interface ContinuationResult {
  readonly kind: typeof continuationKind;
  readonly item: StartItem;
}

const continuationKind: unique symbol = Symbol("chainwright.continuation");

export function continueWith(item: StartItem): ContinuationResult {
  return { kind: continuationKind, item };
}

export function isContinuation(value: unknown): value is ContinuationResult {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === continuationKind;
}
