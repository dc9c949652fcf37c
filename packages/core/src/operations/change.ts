import type { Reply } from "../ports/reply.ts";
import { invalid } from "../checks/check-options.ts";
import type { Engine } from "../engine/engine.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";
import { refusalError } from "./refusal-error.ts";

/** Makes a change and throws what the store refuses. Retries lost races if the transaction is the library's own. */
export async function change<T>(
  { state, clock }: Pick<Engine, "state" | "clock">,
  tx: unknown,
  call: () => Promise<Reply<T>>,
): Promise<T> {
  const reply = tx === undefined ? await retryConflicts(state, clock, call) : await call();
  if (!reply.ok) throw refusalError(reply.refusal);
  return reply.value;
}

/** Rejects two items for one chain: of two reasons or inputs, neither is the right one. */
export function checkDistinct(items: readonly { readonly chainId: string }[], what: string): void {
  const ids = new Set<string>();
  for (const { chainId } of items) {
    if (ids.has(chainId)) throw invalid(`the items of ${what} must name each chain once; got ${chainId} twice.`);
    ids.add(chainId);
  }
}
