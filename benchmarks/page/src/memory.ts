import type { MemoryRow, Piece } from "./results.ts";
import { middle, table } from "./text.ts";

const columns = [
  { name: "set up", key: "setUp" },
  { name: "in flight", key: "inFlight" },
  { name: "retained", key: "retained" },
  { name: "code retained", key: "code" },
] as const;

export function memoryText(pieces: readonly Piece<MemoryRow>[]): string {
  const rows = pieces.flatMap(({ runs }) => runs);
  const held = rows.map(({ name, footprints, published }) => [
    name,
    ...columns.map(({ key }, index) => {
      const weight = (middle(footprints.map((footprint) => footprint[key])) / 1_024).toFixed(0);
      const mark = published?.[index];
      return mark === undefined ? weight : `${weight} (${mark})`;
    }),
  ]);
  const grown = pieces.flatMap(({ runs, settings }) =>
    runs.flatMap(({ name, growth }) =>
      growth === undefined
        ? []
        : [
            [
              name,
              growth.perWaitingJob.toFixed(0),
              Number(settings["processed"]).toLocaleString("en"),
              megabytes(growth.heapAtTenths[0]),
              megabytes(growth.heapAtTenths.at(-1)),
              growth.perJobProcessed.toFixed(2),
            ],
          ],
    ),
  );
  return [
    "Kilobytes more than a process in which only the database and broker clients are connected. In brackets: the figures that a comparable library publishes for itself:",
    table(["", ...columns.map(({ name }) => name)], held),
    "What grows with the number of jobs:",
    table(
      ["", "bytes per waiting job", "jobs processed", "heap after a tenth, MB", "at the end, MB", "bytes left per job"],
      grown,
    ),
  ].join("\n\n");
}

const megabytes = (bytes = Number.NaN): string => (bytes / 2 ** 20).toFixed(1);
