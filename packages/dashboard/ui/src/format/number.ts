const plain = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** `1,284`; from a hundred thousand on `128.4K`. */
export function formatCount(count: number): string {
  return count < 100_000 ? plain.format(count) : compact.format(count);
}

/** `1 chain`, `3 chains`. */
export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A rate per second. Small rates are per minute, so that they are not shown as zero. */
export function formatRate(perSecond: number): string {
  if (perSecond === 0) return "0 /s";
  if (perSecond < 0.1) return `${significant(perSecond * 60)} /min`;
  return `${significant(perSecond)} /s`;
}

/** `640 B`, `12.4 KB`, `1.0 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_048_576) return `${significant(bytes / 1_024)} KB`;
  return `${significant(bytes / 1_048_576)} MB`;
}

function significant(value: number): string {
  return value < 10 ? value.toFixed(1) : formatCount(Math.round(value));
}
