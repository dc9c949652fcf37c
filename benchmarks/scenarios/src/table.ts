/** How a scenario is shown. It is part of the results, so that the page needs no knowledge of scenarios. */
export interface Shown {
  readonly name: string;
  readonly title: string;
  /** What is measured. */
  readonly note: string;
  readonly columns: readonly Column[];
  /** The last part of the name of the row that the others of the same store are compared with. */
  readonly base?: string;
}

export interface Column {
  readonly name: string;
  /** Figures whose sum the column shows. */
  readonly keys: readonly string[];
  readonly digits: number;
  /** Shows how many percent more this is than in the base row, turn by turn. */
  readonly overBase?: boolean;
}

/** What one process has measured. */
export interface ScenarioFigures {
  readonly scenario: string;
  readonly row: string;
  readonly figures: Readonly<Record<string, number>>;
}

export interface Cells {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

type Show = (values: readonly number[], digits: number) => string;

/** The table of a scenario; `show` makes a text of the values of all turns. */
export function cellsOf(shown: Shown, all: readonly ScenarioFigures[], show: Show): Cells {
  const turns = Map.groupBy(
    all.filter(({ scenario }) => scenario === shown.name),
    ({ row }) => row,
  );
  const rows = [...turns].map(([row, runs]) => [
    row,
    ...shown.columns.map((column) => {
      if (column.overBase !== true) return show(valuesOf(runs, column), column.digits);
      const base = baseOf(row, shown.base);
      const percents = percentsOver(valuesOf(runs, column), valuesOf(turns.get(base) ?? [], column));
      return base === row || percents.length === 0 ? "" : show(percents, column.digits);
    }),
  ]);
  return { head: ["", ...shown.columns.map(({ name }) => name)], rows };
}

function valuesOf(runs: readonly ScenarioFigures[], { keys }: Column): readonly number[] {
  return runs.flatMap(({ figures }) => {
    const parts = keys.flatMap((key) => figures[key] ?? []);
    return parts.length === 0 ? [] : parts.reduce((sum, part) => sum + part, 0);
  });
}

function percentsOver(values: readonly number[], base: readonly number[]): readonly number[] {
  return values.flatMap((value, turn) => (base[turn] === undefined ? [] : (value / base[turn] - 1) * 100));
}

/** "sqlite, otel" is compared with "sqlite, none". */
function baseOf(row: string, base = ""): string {
  return `${row.slice(0, row.indexOf(", "))}, ${base}`;
}
