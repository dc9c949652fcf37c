import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { SeriesPoint } from "../../../src/protocol.ts";
import { isDark } from "../data/preferences.ts";
import { formatClock } from "../format/moment.ts";
import { formatRate } from "../format/number.ts";

const height = 176;

/** What ended per second, completed and failed. */
export function RateChart({ points }: { readonly points: readonly SeriesPoint[] }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const made = new uPlot(optionsFor(element), dataOf(points), element);
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      made.destroy();
    };
  }, []);

  useEffect(() => plot.current?.setData(dataOf(points)), [points]);
  // Colours are read when it is drawn.
  useEffect(() => plot.current?.redraw(false), [isDark.value]);

  return <div class="chart" ref={box} role="img" aria-label={spoken(points)} />;
}

function dataOf(points: readonly SeriesPoint[]): uPlot.AlignedData {
  const rates = ratesOf(points);
  return [
    rates.map(({ at }) => at / 1_000),
    rates.map(({ completed }) => completed),
    rates.map(({ failed }) => failed),
  ];
}

/** Per second, between each point and the one before. */
export function ratesOf(points: readonly SeriesPoint[]): readonly SeriesPoint[] {
  return points.slice(1).map(({ at, completed, failed }, index) => {
    const seconds = Math.max(0.001, (at - (points[index]?.at ?? at)) / 1_000);
    return { at, completed: completed / seconds, failed: failed / seconds };
  });
}

function spoken(points: readonly SeriesPoint[]): string {
  const last = ratesOf(points).at(-1);
  if (last === undefined) return "Throughput: not enough samples yet";
  return `Throughput: ${formatRate(last.completed)} completed, ${formatRate(last.failed)} failed`;
}

function optionsFor(element: HTMLElement): uPlot.Options {
  const colour = (name: string) => () => resolved(element, `var(--${name})`);
  const axis: uPlot.Axis = {
    stroke: colour("muted"),
    grid: { stroke: colour("border"), width: 1 },
    ticks: { show: false },
    font: `11px ${getComputedStyle(element).fontFamily}`,
  };
  const line = (label: string, state: string): uPlot.Series => ({
    label,
    stroke: colour(state),
    width: 1.75,
    fill: () => resolved(element, `color-mix(in srgb, var(--${state}) 12%, transparent)`),
    points: { show: false },
    value: (_, rate: number | null) => (rate === null ? "\u2013" : formatRate(rate)),
  });
  return {
    width: element.clientWidth,
    height,
    padding: [12, 8, 0, 0],
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { y: { range: (_, __, max) => [0, Math.max(max * 1.15, 1)] } },
    axes: [
      { ...axis, space: 90, size: 30, values: (_, at) => at.map((each) => formatClock(each * 1_000)) },
      { ...axis, size: 40, space: 36, values: (_, rates) => rates.map((rate) => formatTick(rate)) },
    ],
    series: [
      { label: "Time", value: (_, at: number | null) => (at === null ? "\u2013" : formatClock(at * 1_000)) },
      line("Completed", "completed"),
      line("Failed", "failed"),
    ],
  };
}

function formatTick(rate: number): string {
  return Number.isInteger(rate) ? String(rate) : rate.toFixed(1);
}

/** What a colour of the style sheet is now, as a canvas understands it. */
function resolved(element: HTMLElement, colour: string): string {
  const probe = document.createElement("span");
  probe.style.color = colour;
  element.append(probe);
  const answer = getComputedStyle(probe).color;
  probe.remove();
  return answer;
}
