import type { Piece, ScaleOutRun } from "./results.ts";
import { cpuText, latencyText, measured, middle, number, table } from "./text.ts";

type Turns = readonly ScaleOutRun[];

/** For each mode CPU, rates, shares and latency by the number of processes; or the cost of idle processes, if there were some. */
export function scaleOutText({ runs }: Piece<ScaleOutRun>): string {
  if (runs.some(({ idle }) => idle > 0)) return idleText(runs);
  return [...Map.groupBy(runs, ({ mode }) => mode)].map(([mode, ofMode]) => modeText(mode, ofMode)).join("\n\n");
}

function modeText(mode: string, runs: Turns): string {
  const counts = [...new Set(runs.map(({ processes }) => processes))].sort((a, b) => a - b);
  const rows = [...Map.groupBy(runs, ({ row }) => row)];
  const by = (text: (turns: Turns, base: Turns) => string): string =>
    table(
      ["worker processes", ...counts.map(String)],
      rows.map(([name, ofRow]) => {
        const turnsAt = (count: number): Turns => ofRow.filter(({ processes }) => processes === count);
        const base = counts.map(turnsAt).find((turns) => turns.length > 0) ?? [];
        return [name, ...counts.map((count) => (turnsAt(count).length === 0 ? "" : text(turnsAt(count), base)))];
      }),
    );
  return [
    `### ${mode === "value" ? "Jobs that return a value" : "A transaction a job"}`,
    "Microseconds of CPU time per job, client + server, and how many times the CPU with the fewest processes that is:",
    by((turns, base) => `${cpuText(turns.map(cpuOf))} (x ${number(growthOf(turns, base), 2)})`),
    "Jobs per second:",
    by((turns) => measured(turns.map(({ perSecond }) => perSecond))),
    "The fewest and the most jobs that a process ran, in percent of an equal share:",
    by(sharesText),
    "Latency p50, p99 in ms, from the return of the start in one process to the handler in another:",
    by((turns) => latencyText(turns.flatMap(({ latency }) => latency ?? []))),
  ].join("\n\n");
}

/** Client and servers together, compared with another cell. */
export function growthOf(turns: Turns, base: Turns): number {
  const sums = (of: Turns): readonly number[] =>
    of.map(cpuOf).map(({ cpuMicros, serverCpuMicros }) => cpuMicros + serverCpuMicros);
  return middle(sums(turns)) / middle(sums(base));
}

function cpuOf({ clientCpuMicros, serverCpuMicros }: ScaleOutRun) {
  const server = Object.values(serverCpuMicros).reduce((total, micros) => total + micros, 0);
  return { cpuMicros: clientCpuMicros, serverCpuMicros: server };
}

function sharesText(turns: Turns): string {
  const percents = turns.flatMap(({ shares, ran }) => shares.map((share) => (share * shares.length * 100) / ran));
  return `${number(Math.min(...percents))} to ${number(Math.max(...percents))}`;
}

function idleText(runs: Turns): string {
  const cells = [...Map.groupBy(runs, ({ row, mode, processes }) => `${mode}, ${row}, ${processes}`).values()];
  const rows = cells.flatMap((cell) => {
    const [first] = cell;
    const alone = cell.filter(({ idle }) => idle === 0);
    return [...Map.groupBy(cell, ({ idle }) => idle)].flatMap(([idle, beside]) =>
      idle === 0 || first === undefined ? [] : [lineOf(first, alone, beside)],
    );
  });
  return [
    "### Idle processes beside busy ones",
    "The idle processes have workers for a type of job of which there are none.",
    table(
      [
        "",
        "busy",
        "idle",
        "CPU alone, us",
        "with idle processes",
        "more, %",
        "jobs per second alone",
        "with idle",
        "fewer, %",
      ],
      rows,
    ),
  ].join("\n\n");
}

function lineOf({ row, mode, processes }: ScaleOutRun, alone: Turns, beside: Turns): readonly string[] {
  const rate = (turns: Turns): readonly number[] => turns.map(({ perSecond }) => perSecond);
  return [
    `${row}, ${mode}`,
    String(processes),
    String(beside[0]?.idle ?? ""),
    cpuText(alone.map(cpuOf)),
    cpuText(beside.map(cpuOf)),
    number((growthOf(beside, alone) - 1) * 100, 1),
    measured(rate(alone)),
    measured(rate(beside)),
    number((1 - middle(rate(beside)) / middle(rate(alone))) * 100, 1),
  ];
}
