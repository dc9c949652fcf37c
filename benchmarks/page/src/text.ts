import { spread } from "@chainwright/bench-measuring";

/** A Markdown table of figures, with names in the first column; the formatter aligns it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return aligned(head, "--:", rows);
}

/** A Markdown table of words. */
export function wordTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return aligned(head, "---", rows);
}

function aligned(head: readonly string[], alignment: string, rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? "---" : alignment))), ...rows.map(line)].join("\n");
}

export function sh(command: string): string {
  return `\`\`\`sh\n${command}\n\`\`\``;
}

export function number(value: number, digits = 0): string {
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** NaN without values. */
export function middle(values: readonly number[]): number {
  return spread(values).median;
}

/** "1,200 ±50": the median, and half of the distance between the lowest and the highest value if there are several. */
export function measured(values: readonly number[], digits = 0): string {
  return values.length === 0 ? "" : `${number(middle(values), digits)}${errorOf(values, digits)}`;
}

function errorOf(values: readonly number[], digits: number): string {
  const { min, max } = spread(values);
  return values.length < 2 ? "" : ` ±${number((max - min) / 2, digits)}`;
}

interface Cpu {
  readonly cpuMicros: number;
  readonly serverCpuMicros?: number | undefined;
}

/** "22 + 23 ±1": client and server in microseconds, and the error of the sum. Servers whose CPU is not known are left out. */
export function cpuText(figures: readonly Cpu[]): string {
  if (figures.length === 0) return "";
  const client = middle(figures.map(({ cpuMicros }) => cpuMicros));
  const server = middle(figures.flatMap(({ serverCpuMicros }) => serverCpuMicros ?? []));
  const sums = figures.map(({ cpuMicros, serverCpuMicros = 0 }) => cpuMicros + serverCpuMicros);
  if (Number.isNaN(server) || server === 0) return measured(sums, 1);
  return `${number(client)} + ${number(server)}${errorOf(sums, 0)}`;
}

interface Latency {
  readonly p50: number;
  readonly p99: number;
}

/** "0.8 ±0.1, 1.6 ±0.3". */
export function latencyText(latencies: readonly Latency[]): string {
  if (latencies.length === 0) return "";
  return [latencies.map(({ p50 }) => p50), latencies.map(({ p99 }) => p99)]
    .map((values) => measured(values, 1))
    .join(", ");
}
