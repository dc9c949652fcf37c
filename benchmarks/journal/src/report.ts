import { median, shown, spread, type Figure } from "@chainwright/bench-measuring";
import { nameOfStarts, type Reading } from "./order.ts";

const callersOf = [1, 10, 50, 100];
const starts = (callers: number, syncMs = 0) => nameOfStarts("journal, full", callers, syncMs);

/** What the journal is to reach, on a quiet machine of two cores. */
const rates: readonly (readonly [name: string, perSecond: number])[] = [
  [starts(1), 3_000],
  [starts(10), 40_000],
  [starts(50), 80_000],
  [starts(100), 120_000],
  [starts(1, 4), 180],
  [starts(10, 4), 2_000],
  [starts(50, 4), 8_000],
  [starts(100, 4), 15_000],
];
const leastShareOfPlain = 0.6;
const mostCpuOfPlain = 2;

/** The report: every figure as median, minimum and maximum of the runs, then the targets, which a few jobs say nothing about. */
export function formatReport(readings: readonly Reading[], { smoke }: { readonly smoke: boolean }): string {
  const groups = Map.groupBy(readings, ({ name }) => name);
  const lines = [...groups].flatMap(([name, group]) => [...figureLine(name, group), ...valueLines(name, group)]);
  return smoke ? lines.join("\n") : [...lines, "", "Targets, of a quiet machine:", ...targetLines(groups)].join("\n");
}

type Groups = ReadonlyMap<string, readonly Reading[]>;

function figureLine(name: string, group: readonly Reading[]): readonly string[] {
  const figures = group.flatMap(({ figure }) => figure ?? []);
  if (figures.length === 0) return [];
  const rate = shown(spread(figures.map(({ perSecond }) => perSecond)));
  return [`${name}: ${rate}/s; CPU ${median(figures.map(({ cpuMicros }) => cpuMicros)).toFixed(1)} us each`];
}

function valueLines(name: string, group: readonly Reading[]): readonly string[] {
  const names = Object.keys(group[0]?.values ?? {});
  return names.map((each) => {
    const { median: middle, min, max } = spread(group.map(({ values }) => values?.[each] ?? Number.NaN));
    return `${name}, ${each}: ${text(middle)}${min === max ? "" : ` (${text(min)} to ${text(max)})`}`;
  });
}

function targetLines(groups: Groups): readonly string[] {
  return [
    ...rates.map(([name, target]) => atLeast(name, rateOf(groups, name), target)),
    ...callersOf.slice(1).map((callers) => {
      const name = nameOfStarts("journal, 10 ms", callers, 0);
      const share = ratio(groups, [name, nameOfStarts("in process", callers, 0)], ({ perSecond }) => perSecond);
      return atLeast(`${name}, share of the rate in process`, share, leastShareOfPlain);
    }),
    atMost(
      "value jobs, CPU as a multiple of that in process",
      ratio(groups, ["value, journal, full", "value, in process"], ({ cpuMicros }) => cpuMicros),
      mostCpuOfPlain,
    ),
    atLeast("rows read a second", valueOf(groups, "open", "readPerSecond"), 500_000),
    atMost("seconds to open 1,000,000 open jobs", valueOf(groups, "open", "openSeconds"), 4),
    atMost("ms of pause, p99.9, while a snapshot is written", valueOf(groups, "snapshot", "p999"), 5),
  ];
}

function atLeast(name: string, value: number | undefined, target: number): string {
  return verdict(name, value, { target: `at least ${text(target)}`, isMet: value !== undefined && value >= target });
}

function atMost(name: string, value: number | undefined, target: number): string {
  return verdict(name, value, { target: `at most ${text(target)}`, isMet: value !== undefined && value <= target });
}

function verdict(name: string, value: number | undefined, { target, isMet }: { target: string; isMet: boolean }) {
  return value === undefined
    ? `  not measured  ${name} (target ${target})`
    : `  ${isMet ? "met   " : "missed"}  ${name}: ${text(value)} (target ${target})`;
}

function rateOf(groups: Groups, name: string): number | undefined {
  return medianOf(groups, name, ({ perSecond }) => perSecond);
}

/** The median of the ratios of each run, because the load of a machine changes from run to run. */
function ratio(
  groups: Groups,
  [of, to]: readonly [string, string],
  pick: (figure: Figure) => number,
): number | undefined {
  const others = groups.get(to) ?? [];
  const ratios = (groups.get(of) ?? []).flatMap(({ run, figure }) => {
    const other = others.find((each) => each.run === run)?.figure;
    return figure === undefined || other === undefined ? [] : [pick(figure) / pick(other)];
  });
  return ratios.length === 0 ? undefined : median(ratios);
}

function medianOf(groups: Groups, name: string, pick: (figure: Figure) => number): number | undefined {
  const figures = (groups.get(name) ?? []).flatMap(({ figure }) => figure ?? []);
  return figures.length === 0 ? undefined : median(figures.map(pick));
}

function valueOf(groups: Groups, name: string, value: string): number | undefined {
  const values = (groups.get(name) ?? []).flatMap(({ values: all }) => all?.[value] ?? []);
  return values.length === 0 ? undefined : median(values);
}

function text(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(2);
}
