/** A Markdown table; the formatter aligns it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? "---" : "--:"))), ...rows.map(line)].join("\n");
}

export const whole = (value: number): string => Math.round(value).toLocaleString("en");

export function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Client and server, in microseconds. A server whose CPU time cannot be measured is left out. */
export function cpuText(client: number, server: number | undefined): string {
  return server === undefined || server === 0 ? client.toFixed(1) : `${client.toFixed(0)} + ${server.toFixed(0)}`;
}
