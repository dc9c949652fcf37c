import type { MemoryRow, Piece } from "./results.ts";
import { measured, number, table } from "./text.ts";

const columns = [
  { name: "set up", key: "setUp" },
  { name: "in flight", key: "inFlight" },
  { name: "retained", key: "retained" },
  { name: "code retained", key: "code" },
] as const;

export function memoryText(pieces: readonly Piece<MemoryRow>[]): string {
  const rows = pieces.flatMap(({ runs }) => runs).filter(({ footprints }) => footprints.length > 0);
  const held = rows.map(({ name, footprints }) => [
    name,
    ...columns.map(({ key }) => measured(footprints.map((footprint) => footprint[key] / 1_024))),
  ]);
  const grown = pieces.flatMap(({ runs, settings }) =>
    runs.flatMap(({ name, growth }) =>
      growth === undefined
        ? []
        : [
            [
              name,
              number(growth.perWaitingJob),
              number(Number(settings["processed"])),
              megabytes(growth.heapAtTenths[0]),
              megabytes(growth.heapAtTenths.at(-1)),
              `${number(growth.perJobProcessed.perUnit, 2)} ±${number(growth.perJobProcessed.error, 2)}`,
            ],
          ],
    ),
  );
  return [
    "Kilobytes more than a process in which only the database and broker clients are connected:",
    table(["", ...columns.map(({ name }) => name)], held),
    "What grows with the number of jobs. Bytes left per job are the slope of the heap over the tenths of the run, with its standard error; a slope smaller than that is no growth:",
    table(
      ["", "bytes per waiting job", "jobs processed", "heap after a tenth, MB", "at the end, MB", "bytes left per job"],
      grown,
    ),
  ].join("\n\n");
}

const megabytes = (bytes = Number.NaN): string => (bytes / 2 ** 20).toFixed(1);
