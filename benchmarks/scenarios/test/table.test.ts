import { expect, it } from "vitest";
import { cellsOf, type ScenarioFigures, type Shown } from "../src/table.ts";

const shown: Shown = {
  name: "observers",
  title: "Observers",
  note: "",
  base: "none",
  columns: [
    { name: "client", keys: ["client"], digits: 1 },
    { name: "server", keys: ["server"], digits: 0 },
    { name: "more, %", keys: ["client", "server"], digits: 0, overBase: true },
  ],
};

function run(row: string, client: number, server?: number): ScenarioFigures {
  return { scenario: "observers", row, figures: { client, ...(server !== undefined && { server }) } };
}

const listed = (values: readonly number[], digits: number): string =>
  values.map((value) => value.toFixed(digits)).join(" ");

it("compares each row with the base row of its store, turn by turn", () => {
  const runs = [
    run("sqlite, none", 10),
    run("sqlite, otel", 11),
    run("postgres, none", 20, 20),
    run("postgres, otel", 22, 20),
    run("sqlite, none", 20),
    run("sqlite, otel", 24),
  ];
  expect(cellsOf(shown, runs, listed)).toEqual({
    head: ["", "client", "server", "more, %"],
    rows: [
      ["sqlite, none", "10.0 20.0", "", ""],
      ["sqlite, otel", "11.0 24.0", "", "10 20"],
      ["postgres, none", "20.0", "20", ""],
      ["postgres, otel", "22.0", "20", "5"],
    ],
  });
});

it("compares with nothing if the base row was not measured", () => {
  expect(cellsOf(shown, [run("sqlite, otel", 11)], listed).rows).toEqual([["sqlite, otel", "11.0", "", ""]]);
});

it("shows only the figures of its scenario", () => {
  expect(cellsOf(shown, [{ ...run("sqlite, none", 1), scenario: "steady" }], listed).rows).toEqual([]);
});
