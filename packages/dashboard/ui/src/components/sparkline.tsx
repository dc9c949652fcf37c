const width = 96;
const height = 22;

export interface SparkPoint {
  readonly at: number;
  readonly value: number;
}

/** A value over time, without a scale; the number is shown beside it. */
export function Sparkline({ points }: { readonly points: readonly SparkPoint[] }) {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || first === last) return null;
  const top = Math.max(...points.map(({ value }) => value), 0.000_1);
  const line = points.map(({ at, value }) => {
    const x = ((at - first.at) / (last.at - first.at)) * width;
    return `${x.toFixed(1)},${(height - 2 - (value / top) * (height - 4)).toFixed(1)}`;
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
