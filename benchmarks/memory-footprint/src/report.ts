import { shown, spread } from "@chainwright/bench-measuring";
import Table from "cli-table3";
import type { RowFootprint } from "./footprints.ts";
import type { Footprint } from "./lifecycle.ts";

const columns: readonly { readonly name: string; readonly of: (footprint: Footprint) => number }[] = [
  { name: "set up", of: ({ setUp }) => setUp },
  { name: "in flight", of: ({ inFlight }) => inFlight },
  { name: "retained", of: ({ retained }) => retained },
  { name: "code retained", of: ({ code }) => code },
];

/** Kilobytes over the baseline; then what grows. */
export function formatReport(rows: readonly RowFootprint[]): string {
  const held = new Table({ head: ["KB", ...columns.map(({ name }) => name)], style: { head: [], border: [] } });
  for (const { name, footprints } of rows.filter((row) => row.footprints.length > 0))
    held.push([name, ...columns.map(({ of }) => shown(spread(footprints.map((one) => of(one) / 1_024))))]);
  const grows = new Table({
    head: [
      "",
      "bytes a waiting job",
      "heap after a tenth, MB",
      "heap at the end, MB",
      "bytes left a job, and standard error",
    ],
    style: { head: [], border: [] },
  });
  for (const { name, growth } of rows)
    if (growth !== undefined)
      grows.push([
        name,
        growth.perWaitingJob.toFixed(0),
        megabytes(growth.heapAtTenths[0]),
        megabytes(growth.heapAtTenths.at(-1)),
        `${growth.perJobProcessed.perUnit.toFixed(2)}, ${growth.perJobProcessed.error.toFixed(2)}`,
      ]);
  return [held, grows]
    .filter((table) => table.length > 0)
    .map(String)
    .join("\n");
}

const megabytes = (bytes = Number.NaN): string => (bytes / 2 ** 20).toFixed(2);
