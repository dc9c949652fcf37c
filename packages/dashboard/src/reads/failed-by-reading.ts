import type { Context } from "../context.ts";
import type { FailedGroup } from "../protocol/reads.ts";
import type { AnyJob } from "../views.ts";
import { kindOf, type FailedKind } from "./failed-group.ts";
import type { AskedFailures, FoundFailures } from "./asked-failures.ts";

/**
 * A request looks at up to this many failures, page by page, until its time is used; the next one continues. With stacks of ten lines one
 * takes 42 us of the process (SQLite, 100,000 failures): 5,000 in one request would be 200 ms in which it does nothing else.
 */
const mostLooked = 1_000;
const pageSize = 500;
const longestMs = 400;
/** Ids in one response. The others of a group are asked for by its key. */
const mostIds = 500;

/** Groups failed steps by type, error and place as the reader sees them, the newest first. */
export async function readFailures(context: Context, asked: AskedFailures): Promise<FoundFailures> {
  const { typeName, since, group, cursor } = asked;
  const { client, clock } = context;
  const startedAt = clock.now();
  const groups = new Map<string, FailedGroup>();
  let looked = 0;
  let ids = 0;
  let next = cursor;
  const isDone = (): boolean =>
    next === undefined ||
    looked >= mostLooked ||
    (group !== undefined && ids >= mostIds) ||
    clock.now() - startedAt >= longestMs;
  do {
    const limit = group === undefined ? pageSize : mostIds - ids;
    const page = await client.listJobs({ status: "failed", typeName, cursor: next, limit, mostPayloadBytes: 0 });
    for (const job of page.items) {
      if (since !== undefined && endOf(job) < since) continue;
      const kind = kindOf(job, context);
      if (group !== undefined && kind.key !== group) continue;
      addTo(groups, job, kind);
      ids += 1;
    }
    looked += page.items.length;
    next = page.nextCursor;
  } while (!isDone());
  const found = [...groups.values()].toSorted((a, b) => b.count - a.count || b.lastAt - a.lastAt);
  return { groups: found, groupCount: found.length, failureCount: ids, looked, nextCursor: next };
}

/** Jobs arrive newest first, so the first of a group provides the message. */
function addTo(groups: Map<string, FailedGroup>, job: AnyJob, kind: FailedKind): void {
  const at = endOf(job);
  const group = groups.get(kind.key);
  const chainIds = group?.chainIds ?? [];
  groups.set(kind.key, {
    ...(group ?? kind),
    count: (group?.count ?? 0) + 1,
    firstAt: Math.min(group?.firstAt ?? at, at),
    lastAt: Math.max(group?.lastAt ?? at, at),
    chainIds: chainIds.length < mostIds ? [...chainIds, job.chainId] : chainIds,
  });
}

function endOf({ endedAt, createdAt }: AnyJob): number {
  return (endedAt ?? createdAt).getTime();
}
