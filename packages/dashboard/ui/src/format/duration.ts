const units: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
];

/** A duration in at most two units: `850 ms`, `4.2 s`, `3m 20s`, `2d 4h`. */
export function formatDuration(ms: number): string {
  const length = Math.max(0, ms);
  if (length < 1_000) return `${Math.round(length)} ms`;
  if (length < 59_950) return `${trimmed(length / 1_000)} s`;
  const first = units.findIndex(([, size]) => Math.round(length / 1_000) * 1_000 >= size);
  const [name, size] = units[first] ?? ["s", 1_000];
  const [lesser, lesserSize] = units[first + 1] ?? ["", 1];
  const inLesser = Math.round(length / lesserSize);
  const perUnit = size / lesserSize;
  const rest = inLesser % perUnit;
  const whole = Math.floor(inLesser / perUnit);
  return rest === 0 ? `${whole}${name}` : `${whole}${name} ${rest}${lesser}`;
}

function trimmed(value: number): string {
  return value < 10 ? value.toFixed(1) : String(Math.round(value));
}
