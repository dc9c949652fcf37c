import Table from "cli-table3";
import type { CompletionFigure } from "./completion.ts";
import type { Measurement } from "./measure.ts";
import { published } from "./scenarios/all.ts";

const whole = (value: number): string => Math.round(value).toLocaleString("en");

/** A table of what each program takes; the ratio is to the smallest one with the same compiler. */
export function formatMeasurements(measurements: readonly Measurement[]): string {
  const table = new Table({
    head: [
      "scenario",
      "job types",
      "TypeScript",
      "types",
      "instantiations",
      "each",
      "published",
      "of it",
      "ratio",
      "check ms",
      "MiB",
      "mistake",
    ],
    colAligns: [
      "left",
      "right",
      "right",
      "right",
      "right",
      "right",
      "right",
      "right",
      "right",
      "right",
      "right",
      "left",
    ],
    style: { head: [], border: [] },
  });
  for (const row of measurements) {
    const mark = published[row.scenario];
    const smallest = measurements.find((other) => other.scenario === "linear 1" && other.compiler === row.compiler);
    table.push([
      row.scenario,
      whole(row.jobTypes),
      row.compiler,
      whole(row.types),
      whole(row.instantiations),
      whole(row.instantiations / row.jobTypes),
      mark === undefined ? "" : whole(mark),
      mark === undefined ? "" : `${((100 * row.instantiations) / mark).toFixed(0)} %`,
      smallest === undefined ? "" : (row.instantiations / smallest.instantiations).toFixed(1),
      whole(row.checkMs),
      whole(row.memoryMiB),
      row.errors > 0 ? `${row.errors} errors` : row.mistakeCaught ? "caught" : "missed",
    ]);
  }
  return table.toString();
}

export function formatCompletion(figures: readonly CompletionFigure[]): string {
  const table = new Table({
    head: ["completion or hover", "TypeScript", "first ms", "then ms", "names or length"],
    colAligns: ["left", "right", "right", "right", "right"],
    style: { head: [], border: [] },
  });
  for (const { what, compiler, firstMs, thenMs, offered } of figures) {
    table.push([what, compiler, whole(firstMs), whole(thenMs), whole(offered)]);
  }
  return table.toString();
}
