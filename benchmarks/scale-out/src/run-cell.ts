import { answerParent, type Servers } from "@chainwright/bench-measuring";
import { measureCell, type Cell } from "./measure-cell.ts";
import type { Settings } from "./settings.ts";

/** The orders for the process that starts the worker processes of a cell. */
export interface CellRequest {
  readonly cell: Cell;
  readonly settings: Settings;
  readonly servers: Servers;
}

answerParent(async (asked, progress) => {
  const { cell, settings, servers } = asked as CellRequest;
  const figures = await measureCell(cell, settings, servers, progress);
  // Some contenders leave timers and connections behind; nothing here is worth waiting for.
  setTimeout(() => process.exit(0), 1_000).unref();
  return figures;
});
