import type { Engine } from "../engine/engine.ts";
import { isClosed } from "../operations/explain-limits.ts";
import { limitView } from "../operations/list-limits.ts";
import { createTimeLimit } from "../timing/time-limit.ts";

/** The shortest time between two reports of a worker. */
const pauseMs = 60_000;
/** The most keys of one report. */
const mostKeys = 10;
const readLimitMs = 5_000;

/**
 * Returns a function to call when the store says that jobs wait for a limit. It reports a sample of the keys that let no job begin, once
 * a minute, if anyone observes. The heartbeat waits for it, so that it ends with the worker.
 */
export function createReachedReport(
  {
    state,
    clock,
    callOptions,
    events,
    observed,
  }: Pick<Engine, "state" | "clock" | "callOptions" | "events" | "observed">,
  workerId: string,
): () => Promise<void> {
  const timeLimit = createTimeLimit(clock, { limitMs: readLimitMs, who: "the store" });
  let nextAt = -Infinity;
  const report = async (): Promise<void> => {
    const keys = await timeLimit(() => state.listLimits({ isBusy: true, limit: mostKeys }, callOptions()));
    const now = clock.now();
    // A job waits for all its limits, also where only another one is full.
    const reached = keys.filter((record) => record.waiting > 0 && isClosed(limitView(record, now)));
    events.record(
      reached.map(({ limit, key, running, waiting, rule }) => {
        const allowed = { concurrency: rule?.concurrency, rate: rule?.rate };
        return { type: "limit-reached", workerId, limit, key, running, waiting, ...allowed } as const;
      }),
      undefined,
    );
  };
  return async () => {
    if (!observed || clock.now() < nextAt) return;
    nextAt = clock.now() + pauseMs;
    // It is only a sample: the loop reports a store that cannot be used.
    await report().catch(() => undefined);
  };
}
