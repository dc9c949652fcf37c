/*
 * Ids that the library creates are UUIDv7: they begin with their time, so a list in id order is in time order, and a search for a time
 * can start near it. The slack covers clocks that differ. Ids chosen by the application carry no time.
 */
const slackMs = 3_600_000;

/** Returns the time in an id; undefined if it has none. */
export function timeOfId(id: string): number | undefined {
  return id[14] === "7" ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined;
}

/** Returns an id greater than every id created until `at`. */
export function idAfter(at: number): string {
  return `${stampOf(at + slackMs)}-7fff-bfff-ffffffffffff`;
}

/** Returns an id less than every id created from `at` on. */
export function idBefore(at: number): string {
  return firstIdAt(at - slackMs);
}

/** The same without slack, for times of the clock that created the ids. */
export function firstIdAt(at: number): string {
  return `${stampOf(at)}-7000-8000-000000000000`;
}

/** The nearest ids around all those that begin with a text. Undefined: there is none. */
export function rangeOfPrefix(prefix: string): {
  readonly below: string | undefined;
  readonly above: string | undefined;
} {
  const digits = prefix.replaceAll("-", "");
  const free = BigInt(4 * (digitsOfId - digits.length));
  const first = BigInt(`0x${digits}`) << free;
  const next = first + (1n << free);
  return {
    below: first === 0n ? undefined : idOf(first - 1n),
    above: next >> BigInt(4 * digitsOfId) === 0n ? idOf(next) : undefined,
  };
}

const digitsOfId = 32;

function idOf(value: bigint): string {
  const digits = value.toString(16).padStart(digitsOfId, "0");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Whether every id after `id`, in the given order, was created outside the time range. */
export function isPast(id: string, order: "newest" | "oldest", { from, until }: TimeRange): boolean {
  const at = timeOfId(id);
  if (at === undefined) return false;
  return order === "newest" ? from !== undefined && at < from - slackMs : until !== undefined && at > until + slackMs;
}

export interface TimeRange {
  readonly from: number | undefined;
  readonly until: number | undefined;
}

function stampOf(at: number): string {
  const hex = Math.min(Math.max(0, at), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}
