import { ChainwrightError } from "../model/error.ts";
import type { ContextKey } from "../types/middleware.ts";

const contextKeys = {
  job: true,
  signal: true,
  prepare: true,
  complete: true,
  continueWith: true,
  compensateWith: true,
  once: true,
  saveCheckpoint: true,
  progress: true,
  log: true,
  reschedule: true,
  holdKey: true,
  jobs: true,
  failed: true,
} satisfies Record<ContextKey, true>;

/** Refuses what would replace a part of the context, which the types promise to handlers. */
export function checkAdded(added: object, typeName: string): object {
  const taken = Object.keys(contextKeys).find((key) => Object.hasOwn(added, key));
  if (taken === undefined) return added;
  throw new ChainwrightError(
    "handler-result",
    `a middleware of "${typeName}" adds "${taken}", which the context has already; pass it to next under another name.`,
  );
}
