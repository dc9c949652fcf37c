import { expect, it } from "vitest";
import type { CellFigures } from "../src/measure-cell.ts";
import { formatReport } from "../src/report.ts";
import { leftOut, rowsFor } from "../src/rows.ts";
import { readSettings } from "../src/settings.ts";

const cell: CellFigures = {
  row: "chainwright, notify none",
  mode: "value",
  processes: 1,
  idle: 0,
  ran: 100,
  perSecond: 1_000,
  clientCpuMicros: 30,
  idleCpuMicros: 0,
  serverCpuMicros: { postgres: 20 },
  shares: [100],
  latency: { p50: 1, p99: 2 },
};

function linesOf(runs: readonly CellFigures[]): readonly (readonly string[])[] {
  const rows = formatReport(runs)
    .split("\n")
    .filter((line) => line.startsWith("│"));
  return rows.slice(1).map((row) =>
    row
      .split("│")
      .slice(1, -1)
      .map((text) => text.trim()),
  );
}

it("compares the CPU of a job, of client and server together, with that of the fewest processes without idle ones", () => {
  const beside = { ...cell, idle: 8, clientCpuMicros: 40 };
  const four = { ...cell, processes: 4, clientCpuMicros: 80, shares: [10, 20, 30, 40] };
  const growth = linesOf([four, beside, cell])
    .filter(([row]) => row !== "")
    .map(([, processes, idle, , , , times]) => [processes, idle, times]);
  expect(growth).toEqual([
    ["1", "0", "1.00"],
    ["4", "0", "2.00"],
    ["1", "8", "1.20"],
  ]);
});

it("shows the shares of the processes in percent of an equal share", () => {
  const [line] = linesOf([{ ...cell, processes: 4, shares: [10, 20, 30, 40] }]);
  expect(line?.[7]).toBe("40 to 160");
});

it("shows the median, the minimum and the maximum of repeated cells", () => {
  const [line] = linesOf([900, 1_000, 1_200].map((perSecond) => ({ ...cell, perSecond })));
  expect(line?.[3]).toBe("1,000 (900 to 1,200)");
});

it("says that a drain was cut off", () => {
  const [line] = linesOf([{ ...cell, latency: undefined }]);
  expect(line?.[3]).toBe("1,000, cut off");
});

it("measures each mode with a notify adapter of each kind, and atomic jobs only where a queue offers them", () => {
  const settings = readSettings([]);
  const rows = settings === undefined ? [] : rowsFor(settings);
  const atomic = rows.filter(({ mode }) => mode === "atomic").map(({ name }) => name);
  expect(atomic).toEqual([
    "chainwright, notify none",
    "chainwright, notify postgres",
    "chainwright, notify redis",
    "chainwright, notify nats",
    "pg-boss, a transaction for two jobs",
  ]);
  expect(leftOut.map(({ name }) => name)).toEqual(["graphile-worker", "bullmq"]);
});

it("refuses a notify adapter that does not connect processes", () => {
  expect(() => readSettings(["--notify", "in-process"])).toThrow(
    '--notify must be of none, postgres, redis, nats; got "in-process"',
  );
});
