/**
 * Chainwright without a database: the in-process store with a log in a folder.
 *
 * @module
 */
export { createJournalStateAdapter } from "./create-adapter.ts";
export { dumpJournal, verifyJournal, type JournalDump, type JournalReport } from "./inspect.ts";
export type { JournalDurability, JournalStateAdapterOptions } from "./options.ts";
export type { JournalLoss } from "./salvage.ts";
export type { ReplayProgress, Tail } from "./replay.ts";
