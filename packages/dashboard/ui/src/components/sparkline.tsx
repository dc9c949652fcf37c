import type { SeriesPoint } from "../../../src/protocol.ts";
import { ratesOf } from "./rate-chart.tsx";

const width = 96;
const height = 22;

/** The course of a rate, without a scale: the number stands beside it. */
export function Sparkline({ points }: { readonly points: readonly SeriesPoint[] }) {
  const rates = ratesOf(points);
  const [first, last] = [rates[0], rates.at(-1)];
  if (first === undefined || last === undefined || first === last) return null;
  const top = Math.max(...rates.map(({ completed }) => completed), 0.000_1);
  const line = rates.map(({ at, completed }) => {
    const x = ((at - first.at) / (last.at - first.at)) * width;
    return `${x.toFixed(1)},${(height - 2 - (completed / top) * (height - 4)).toFixed(1)}`;
  });
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} aria-hidden="true" preserveAspectRatio="none">
      <polyline
        points={line.join(" ")}
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        vector-effect="non-scaling-stroke"
      />
    </svg>
  );
}
