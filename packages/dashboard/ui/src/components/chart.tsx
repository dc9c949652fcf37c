import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { isDark } from "../data/preferences.ts";
import { formatClock } from "../format/moment.ts";

const height = 176;

interface Line {
  readonly label: string;
  /** The name of a colour in the style sheet. */
  readonly colour: string;
  /** Null where the value is unknown. */
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  readonly title: string;
  /** One moment for each value. */
  readonly at: readonly number[];
  /** Must stay the same lines in the same order while the chart is shown. */
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
  /** A shorter format for the axis. */
  readonly formatTick: (value: number) => string;
  /** Possible steps between ticks. Default: decimal steps. */
  readonly ticks?: readonly number[] | undefined;
  /** The smallest maximum of the axis. */
  readonly least: number;
}

/** Values over the last minutes; the axis starts at zero. */
export function Chart(props: ChartProps) {
  const { title, at, lines, format } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const data: uPlot.AlignedData = [at.map((each) => each / 1_000), ...lines.map(({ values }) => [...values])];

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const made = new uPlot(optionsFor(element, props), data, element);
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      made.destroy();
    };
  }, []);

  useEffect(() => plot.current?.setData(data), [at, lines]);
  // Colours are read while drawing, so a change of theme redraws.
  useEffect(() => plot.current?.redraw(false), [isDark.value]);

  const last = lines.map(({ label, values }) => {
    const value = values.findLast((each) => each !== null);
    return `${label} ${value === undefined || value === null ? "unknown" : format(value)}`;
  });
  return <div class="chart" ref={box} role="img" aria-label={`${title}: ${last.join(", ")}`} />;
}

function optionsFor(element: HTMLElement, { lines, format, formatTick, ticks, least }: ChartProps): uPlot.Options {
  const colour = (name: string) => () => resolved(element, `var(--${name})`);
  const axis: uPlot.Axis = {
    stroke: colour("muted"),
    grid: { stroke: colour("border"), width: 1 },
    ticks: { show: false },
    font: `11px ${getComputedStyle(element).fontFamily}`,
  };
  return {
    width: element.clientWidth,
    height,
    padding: [12, 8, 0, 0],
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { y: { range: (_, __, max) => [0, Math.max(max * 1.15, least)] } },
    axes: [
      { ...axis, space: 90, size: 30, values: (_, at) => at.map((each) => formatClock(each * 1_000)) },
      {
        ...axis,
        size: 50,
        space: 36,
        values: (_, values) => values.map((value) => formatTick(value)),
        ...(ticks === undefined ? undefined : { incrs: [...ticks] }),
      },
    ],
    series: [
      {
        label: "Time",
        value: (plot, at: number | null) => said(at ?? newestOf(plot, 0), (each) => formatClock(each * 1_000)),
      },
      ...lines.map(({ label, colour: name }) => ({
        label,
        stroke: colour(name),
        width: 1.75,
        fill: () => resolved(element, `color-mix(in srgb, var(--${name}) 12%, transparent)`),
        spanGaps: true,
        points: { show: false },
        value: (plot: uPlot, value: number | null, series: number, index: number | null) =>
          said(index === null ? newestOf(plot, series) : value, format),
      })),
    ],
  };
}

/** The value of the legend while the pointer is outside the chart. */
function newestOf({ data }: uPlot, series: number): number | null {
  return [...(data[series] ?? [])].findLast((value) => typeof value === "number") ?? null;
}

function said(value: number | null, format: (value: number) => string): string {
  return value === null ? "\u2013" : format(value);
}

/** Returns the current value of a style sheet colour in a form that a canvas accepts. */
function resolved(element: HTMLElement, colour: string): string {
  const probe = document.createElement("span");
  probe.style.color = colour;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
