import type { Growth } from "./growth.ts";
import type { Footprint } from "./lifecycle.ts";
import type { Figures } from "./run-row.ts";

/** Everything weighed of one row. */
export interface RowFootprint {
  readonly name: string;
  /** One for each process. */
  readonly footprints: readonly Footprint[];
  /** State adapters only. */
  readonly growth: Growth | undefined;
}

/** Puts together what the processes of each row have weighed. */
export function footprintsOf(figures: readonly Figures[]): readonly RowFootprint[] {
  return [...Map.groupBy(figures, ({ name }) => name)].map(([name, ofRow]) => ({
    name,
    footprints: ofRow.flatMap((answer) => ("footprint" in answer ? answer.footprint : [])),
    growth: ofRow.flatMap((answer) => ("growth" in answer ? answer.growth : []))[0],
  }));
}
