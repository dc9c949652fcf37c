import { median } from "@chainwright/bench-measuring";
import Table from "cli-table3";
import type { Growth } from "./growth.ts";
import type { Footprint } from "./lifecycle.ts";

/** Everything weighed of one row. */
export interface RowFootprint {
  readonly name: string;
  readonly published: readonly number[] | undefined;
  /** One for each process. */
  readonly footprints: readonly Footprint[];
  /** State adapters only. */
  readonly growth: Growth | undefined;
}

const columns: readonly { readonly name: string; readonly of: (footprint: Footprint) => number }[] = [
  { name: "set up", of: ({ setUp }) => setUp },
  { name: "in flight", of: ({ inFlight }) => inFlight },
  { name: "retained", of: ({ retained }) => retained },
  { name: "code retained", of: ({ code }) => code },
];

/** Kilobytes over the baseline, with the published figure of another library; then what grows. */
export function formatReport(rows: readonly RowFootprint[]): string {
  const held = new Table({ head: ["KB", ...columns.map(({ name }) => name)], style: { head: [], border: [] } });
  for (const { name, footprints, published } of rows)
    held.push([
      name,
      ...columns.map(({ of }, index) => {
        const weight = (median(footprints.map(of)) / 1_024).toFixed(0);
        const mark = published?.[index];
        return mark === undefined ? weight : `${weight} (${mark})`;
      }),
    ]);
  const grows = new Table({
    head: ["", "bytes a waiting job", "heap after a tenth, MB", "heap at the end, MB", "bytes left a job"],
    style: { head: [], border: [] },
  });
  for (const { name, growth } of rows)
    if (growth !== undefined)
      grows.push([
        name,
        growth.perWaitingJob.toFixed(0),
        megabytes(growth.heapAtTenths[0]),
        megabytes(growth.heapAtTenths.at(-1)),
        growth.perJobProcessed.toFixed(2),
      ]);
  return [held.toString(), grows.toString()].join("\n");
}

const megabytes = (bytes = Number.NaN): string => (bytes / 2 ** 20).toFixed(2);
