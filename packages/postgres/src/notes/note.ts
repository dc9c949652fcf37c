import { ChainwrightError } from "chainwright";
import type { CallOptions } from "chainwright/adapter";
import { listPauses } from "../operations/list-pauses.ts";
import type { Store } from "../store.ts";

/** What attempts note about their jobs. */
export async function note<Tx>(store: Store<Tx>, call: CallOptions<Tx>): Promise<never> {
  await listPauses(store, call);
  throw new ChainwrightError("invalid-input", "notes are not built yet for Postgres.");
}
