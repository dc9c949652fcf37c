import { spread } from "@chainwright/bench-measuring";
import Table from "cli-table3";
import { cellsOf, type ScenarioFigures, type Shown } from "./table.ts";

/** One table for each scenario. */
export function formatReport(scenarios: readonly Shown[], runs: readonly ScenarioFigures[]): string {
  return scenarios
    .map((scenario) => {
      const { head, rows } = cellsOf(scenario, runs, show);
      const table = new Table({ head: [scenario.title, ...head.slice(1)], style: { head: [], border: [] } });
      table.push(...rows.map((row) => [...row]));
      return table.toString();
    })
    .join("\n");
}

/** "1.2 (1.1 to 1.4)", or the one value there is. */
function show(values: readonly number[], digits: number): string {
  if (values.length === 0) return "";
  const { median, min, max } = spread(values);
  const text = (value: number): string =>
    value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return min === max ? text(median) : `${text(median)} (${text(min)} to ${text(max)})`;
}
