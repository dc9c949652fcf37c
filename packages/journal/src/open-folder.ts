import type { Clock, InProcessTransaction, StateAdapter } from "chainwright";
import { openLoggedStateAdapter } from "chainwright/change-log";
import { openJournal, type JournalOptions } from "./journal.ts";
import { lockFolder } from "./lock.ts";
import { openRealDisk } from "./real-disk.ts";

interface FolderOptions extends Omit<JournalOptions, "disk"> {
  readonly folder: string;
  readonly clock: Pick<Clock, "now"> | undefined;
}

/** Locks a folder until the store that is opened from it is closed. */
export async function openFolder({
  folder,
  clock,
  ...options
}: FolderOptions): Promise<StateAdapter<InProcessTransaction> & AsyncDisposable> {
  const disk = await openRealDisk(folder);
  const lock = await lockFolder(folder);
  try {
    const journal = await openJournal({ disk, ...options });
    const close = async (): Promise<void> => {
      await journal.close().finally(lock.release);
    };
    return await openLoggedStateAdapter({ log: { ...journal, close }, clock });
  } catch (error) {
    lock.release();
    throw error;
  }
}
