import type { Mode } from "@chainwright/bench-peers";
import type { Row } from "./row.ts";

/**
 * Loads the libraries of one row: a process that loads those of all queues takes four times as much CPU to start, and twice
 * the memory.
 */
export async function loadRow(name: string, mode: Mode): Promise<Row> {
  const isMeant = (row: Row): boolean => row.name === name && row.mode === mode;
  const { chainwrightRows } = await import("./chainwright-rows.ts");
  const row = chainwrightRows.find(isMeant) ?? (await import("./peer-rows.ts")).peerRows.find(isMeant);
  if (row === undefined) throw new Error(`there is no row "${name}" in the ${mode} mode`);
  return row;
}
