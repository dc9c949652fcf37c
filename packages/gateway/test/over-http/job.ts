const payloads: ReadonlySet<string> = new Set(["input", "output", "payload", "checkpoint"]);
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A job of a reply as a handler sees it: moments are dates, null is undefined, and what only the protocol needs is left out. */
export function seenJob({ token: _token, step: _step, leaseMs: _leaseMs, ...job }: Readonly<Record<string, unknown>>) {
  const { lastError, ...rest } = withDates(job) as Readonly<Record<string, unknown>>;
  return { ...rest, lastError: lastError ?? undefined };
}

function withDates(value: unknown): unknown {
  if (typeof value === "string") return moment.test(value) ? new Date(value) : value;
  if (Array.isArray(value)) return value.map(withDates);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, payloads.has(key) ? each : withDates(each)]),
  );
}
