import type { BackendName } from "@chainwright/backends";
import type { Servers } from "@chainwright/bench-measuring";
import type { Settings } from "./settings.ts";
import type { Shown } from "./table.ts";

/** A situation that is measured on several rows: a store, or a store with an option. */
export interface Scenario extends Shown {
  readonly rows: readonly ScenarioRow[];
  /** Returns a number for each key of the columns; rejects if the store did not do what it promises. */
  measure(row: string, conditions: Conditions): Promise<Readonly<Record<string, number>>>;
}

export interface ScenarioRow {
  readonly name: string;
  readonly needs: readonly BackendName[];
}

export interface Conditions {
  readonly settings: Settings;
  readonly servers: Servers;
  readonly progress: (step: string) => void;
}
