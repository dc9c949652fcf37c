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
  return await measureCell(cell, settings, servers, progress);
});
