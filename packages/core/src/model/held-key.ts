import type { Gathers } from "./record.ts";
import type { DeduplicationScope } from "./status.ts";

/** How a chain holds its key: see `Deduplication`, `Debounce` and `Throttle`. */
export type KeyScope = DeduplicationScope | "debounce" | "throttle";

/**
 * The text under which a store notes who holds a key. Keys of `debounce` and of `throttle` are apart from those of `deduplication`,
 * so that starts of different kinds never find each other's chains.
 *
 * @example
 * heldKey({ key: '["42","search.index"]', scope: "debounce" }); // '["42","search.index"]debounce'
 */
export function heldKey({ key, scope }: { readonly key: string; readonly scope: KeyScope }): string {
  return servesStartsOnly({ scope }) ? key + scope : key;
}

/** Whether only starts look at a key, and neither the end of its chain nor a retry. */
export function servesStartsOnly({ scope }: { readonly scope: KeyScope }): boolean {
  return scope === "debounce" || scope === "throttle";
}

/**
 * What a job that waits for its first claim says about later starts with its key.
 *
 * @example
 * gathersBy("debounce", 5_000); // { by: "debounce", until: 5000 }
 */
export function gathersBy(scope: KeyScope | undefined, until: number | undefined): Gathers | undefined {
  return until !== undefined && (scope === "debounce" || scope === "throttle") ? { by: scope, until } : undefined;
}
