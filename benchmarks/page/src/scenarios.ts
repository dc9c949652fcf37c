import { cellsOf } from "@chainwright/bench-scenarios/table";
import type { ScenarioPiece } from "./results.ts";
import { measured, table } from "./text.ts";

/** A heading, a sentence and a table for each scenario. */
export function scenariosText({ scenarios, runs }: ScenarioPiece): string {
  return scenarios
    .flatMap((shown) => {
      const { head, rows } = cellsOf(shown, runs, measured);
      return rows.length === 0 ? [] : [`### ${shown.title}`, shown.note, table(head, rows)];
    })
    .join("\n\n");
}
