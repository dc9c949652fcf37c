import { createInProcessStateAdapter, type InProcessTransaction, type StateAdapter } from "chainwright";
import { checkOptions } from "./check-options.ts";
import type { JournalStateAdapterOptions } from "./options.ts";
import { openFolder } from "./open-folder.ts";

/**
 * The in-process store with a log in a folder: what it has acknowledged is there when the process starts again. One process at a time
 * uses a folder; another one is refused with `store-unavailable`. A folder that is not as it was written is refused with
 * `journal-damaged`. After a write that fails, all calls are refused until the process is started again.
 *
 * @example
 * import { createJournalStateAdapter } from "@chainwright/journal";
 *
 * const stateAdapter = await createJournalStateAdapter({ folder: "./jobs" });
 * const client = createClient({ stateAdapter, jobTypes });
 */
export async function createJournalStateAdapter(
  options: JournalStateAdapterOptions,
): Promise<StateAdapter<InProcessTransaction> & AsyncDisposable> {
  const { folder, durability, onProgress, onCut, clock } = checkOptions(options);
  if (durability === "memory") return createInProcessStateAdapter({ clock });
  const intervalMs = durability === "full" ? undefined : durability.intervalMs;
  return openFolder({ folder, intervalMs, onProgress, onCut, clock });
}
