import { createInProcessStateAdapter, type InProcessTransaction, type StateAdapter } from "chainwright";
import { openLoggedStateAdapter } from "chainwright/change-log";
import { checkOptions } from "./check-options.ts";
import { openJournal } from "./journal.ts";
import type { JournalStateAdapterOptions } from "./options.ts";
import { lockFolder } from "./lock.ts";
import { openRealDisk } from "./real-disk.ts";

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
  const disk = await openRealDisk(folder);
  const lock = await lockFolder(folder);
  try {
    const intervalMs = durability === "full" ? undefined : durability.intervalMs;
    const journal = await openJournal({ disk, intervalMs, onProgress, onCut });
    const close = async (): Promise<void> => {
      await journal.close().finally(lock.release);
    };
    return await openLoggedStateAdapter({ log: { ...journal, close }, clock });
  } catch (error) {
    lock.release();
    throw error;
  }
}
