import type { CallOptions, LimitChange, LimitRule } from "chainwright/adapter";
import { call, type Store } from "../store.ts";

/** Changes limits, in the given order. Returns for each whether its limit is known. */
export async function changeLimits<Tx>(
  store: Store<Tx>,
  changes: readonly LimitChange[],
  options: CallOptions<Tx>,
): Promise<readonly boolean[]> {
  if (changes.length === 0) return [];
  const records = changes.map((change, n) => ({ n, ...recordOf(change) }));
  const rows = await call(store, { name: "change_limits_v1", parameters: [JSON.stringify(records)] }, options);
  const known = new Set(rows.filter(([, isKnown]) => Number(isKnown) === 1).map(([n]) => Number(n)));
  return changes.map((_, n) => known.has(n));
}

function recordOf(change: LimitChange): object {
  const { kind, limit } = change;
  switch (change.kind) {
    case "declare":
      return { kind, limit, version: change.codeVersion, ...numbersOf(change.rule) };
    case "override":
      return { kind, limit, key: change.key, ...numbersOf(change.rule) };
    case "pause":
      return { kind, limit, key: change.key, for: change.forMs };
    case "failed": {
      const { failures, withinMs, openMs } = change.breaker;
      const attempt = { job: change.jobId, fence: String(change.fence) };
      return { kind, limit, key: change.key, ...attempt, failures, within: withinMs, open: openMs };
    }
    case "succeeded":
      return { kind, limit, key: change.key, job: change.jobId };
    default:
      return { kind, limit, key: change.key };
  }
}

function numbersOf({ concurrency, rate }: LimitRule): object {
  return { concurrency, ...rate };
}
