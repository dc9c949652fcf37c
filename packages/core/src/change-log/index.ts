/**
 * For packages that keep the content of an in-process store: every change of it goes to a log, and a new process begins with what the
 * log has kept.
 *
 * @module
 */
export type { Change } from "./change.ts";
export { collectChanges } from "./collect.ts";
export { openLoggedStateAdapter, type ChangeLog } from "./open.ts";
