import type { Call, Context } from "../context.ts";
import type { HistoryResponse } from "../protocol/overview.ts";
import { queries, readQuery } from "../http/query.ts";

/** What workers did in the last hour or day, as the store has kept it. */
export async function history({ client, clock }: Context, { query }: Call): Promise<HistoryResponse> {
  const { over, typeName } = readQuery(query, queries.history, new Set());
  const { everyMs, points } = await client.jobHistory({ over, typeName });
  return {
    now: clock.now(),
    everyMs,
    points: points.map(({ at, completed, failed, retried, longestWaitMs, p50Ms, p95Ms }) => ({
      at: at.getTime(),
      completed,
      failed,
      retried,
      longestWaitMs,
      ...(p50Ms !== undefined && { p50Ms }),
      ...(p95Ms !== undefined && { p95Ms }),
    })),
  };
}
