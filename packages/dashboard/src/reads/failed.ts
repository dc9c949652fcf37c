import { createHash } from "node:crypto";
import type { Call, Context } from "../context.ts";
import type { FailedResponse, FailedGroup } from "../protocol/reads.ts";
import type { ErrorView } from "../protocol/views.ts";
import { queries, readQuery } from "../http/query.ts";
import { errorView, type AnyJob } from "../views.ts";
import { totalOf } from "./totals.ts";

/** A request looks at up to this many failures, page by page, until its time is used. */
const mostLooked = 500;
const pageSize = 50;
const longestMs = 100;

/** Groups the newest failed steps by type and error. */
export async function failed(context: Context, { query }: Call): Promise<FailedResponse> {
  const { typeName, cursor } = readQuery(query, queries.byType);
  const { client, clock } = context;
  const startedAt = clock.now();
  const groups = new Map<string, FailedGroup>();
  let looked = 0;
  let next = cursor;
  do {
    const page = await client.listJobs({ status: "failed", typeName, cursor: next, limit: pageSize });
    for (const job of page.items) addTo(groups, job, context);
    looked += page.items.length;
    next = page.nextCursor;
  } while (next !== undefined && looked < mostLooked && clock.now() - startedAt < longestMs);
  return {
    now: clock.now(),
    groups: [...groups.values()].toSorted((a, b) => b.count - a.count || b.lastAt - a.lastAt),
    looked,
    total: await totalOf(context.watch, ["failed"], typeName),
    nextCursor: next,
  };
}

/** Jobs arrive newest first, so the first of a group provides the message. */
function addTo(groups: Map<string, FailedGroup>, job: AnyJob, { redaction }: Context): void {
  const error = job.lastError === undefined ? undefined : errorView(job.lastError, job, { redaction });
  const errorName = error?.name ?? "";
  const message = error === undefined ? "No error was recorded." : messageOf(error);
  const key = keyOf([job.typeName, errorName, normalized(message)]);
  const at = (job.endedAt ?? job.createdAt).getTime();
  const group = groups.get(key);
  groups.set(key, {
    key,
    typeName: job.typeName,
    errorName,
    message: group?.message ?? message,
    count: (group?.count ?? 0) + 1,
    firstAt: Math.min(group?.firstAt ?? at, at),
    lastAt: Math.max(group?.lastAt ?? at, at),
    chainIds: [...(group?.chainIds ?? []), job.chainId],
  });
}

/** With the nearest cause: many failures have the same message, as "fetch failed". */
function messageOf({ message, causes: [cause] }: ErrorView): string {
  return cause === undefined ? message : `${message} (cause: ${cause})`;
}

/** Replaces what differs between failures of one kind: ids, numbers, quoted values. */
function normalized(message: string): string {
  return message
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, "<id>")
    .replaceAll(/\b(?=[0-9a-f]*\d)[0-9a-f]{12,}\b/gi, "<id>")
    .replaceAll(/\d+/g, "<n>")
    .replaceAll(/"[^"]*"|'[^']*'/g, "<text>");
}

function keyOf(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 16);
}
