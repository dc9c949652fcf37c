import { isChainwrightError } from "chainwright";
import type { Call, Context } from "../context.ts";
import type { FailedGroup, FailedResponse } from "../protocol/reads.ts";
import { queries, readQuery } from "../http/query.ts";
import type { AnyJob } from "../views.ts";
import type { AskedFailures, FoundFailures } from "./asked-failures.ts";
import { readFailures } from "./failed-by-reading.ts";
import { kindOf } from "./failed-group.ts";
import { totalOf } from "./totals.ts";

/** The groups in one response: the page of one who is on call has a few. */
const mostGroups = 100;
/** Ids in one response. */
const mostIds = 500;
/** The key of the group of failures without a kind. */
const withoutKind = "-";

/** Failed steps in groups. */
export async function failed(context: Context, { query }: Call): Promise<FailedResponse> {
  const asked = readQuery(query, queries.failed);
  const { watch, clock } = context;
  const found = await find(context, asked);
  return { now: clock.now(), total: await totalOf(watch, ["failed"], asked.typeName), ...found };
}

/**
 * As the store counts them. With a `redact` what is hidden must not tell failures apart, so they are read and grouped by what this reader
 * sees.
 */
async function find(context: Context, asked: AskedFailures): Promise<FoundFailures> {
  const { group } = asked;
  if (context.redacts) return await readFailures(context, asked);
  try {
    return await (group === undefined ? storedGroups(context, asked) : storedGroup(context, { ...asked, group }));
  } catch (error) {
    // The request is valid, so this is a store that does not keep the kinds of failures.
    if (isChainwrightError(error, "invalid-input")) return await readFailures(context, asked);
    throw error;
  }
}

async function storedGroups(context: Context, { typeName, since }: AskedFailures): Promise<FoundFailures> {
  const { client } = context;
  const stored = await client.groupFailures({ typeName, failedSince: dateOf(since), limit: mostGroups });
  const newest = await newestOf(
    context,
    stored.groups.map(({ newestJobId }) => newestJobId),
  );
  const groups = stored.groups.flatMap(({ kind, newestJobId, count, firstAt, lastAt }) => {
    const job = newest.get(newestJobId);
    // It has been deleted since.
    if (job === undefined) return [];
    return [groupOf(context, job, { kind, count, firstAt: firstAt.getTime(), lastAt: lastAt.getTime() })];
  });
  const { groupCount, failureCount } = stored;
  return { groups, groupCount, failureCount, looked: failureCount, nextCursor: undefined };
}

interface Counted {
  readonly kind: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

function groupOf(context: Context, job: AnyJob, { kind, ...counted }: Counted): FailedGroup {
  return { ...kindOf(job, context), ...counted, key: kind === "" ? withoutKind : kind, chainIds: [job.chainId] };
}

async function newestOf({ client }: Context, ids: readonly string[]): Promise<ReadonlyMap<string, AnyJob>> {
  if (ids.length === 0) return new Map();
  const { items } = await client.listJobs({ ids, limit: ids.length, mostPayloadBytes: 0 });
  return new Map(items.map((job) => [job.id, job]));
}

/** A page of the chains of one group. */
async function storedGroup(
  context: Context,
  { typeName, since, group, cursor }: AskedFailures & { readonly group: string },
): Promise<FoundFailures> {
  const kind = group === withoutKind ? "" : group;
  const { items, nextCursor } = await context.client.listJobs({
    typeName,
    failureKind: kind,
    failedSince: dateOf(since),
    cursor,
    limit: mostIds,
    mostPayloadBytes: 0,
  });
  const [newest] = items;
  if (newest === undefined) return { groups: [], groupCount: 0, failureCount: 0, looked: 0, nextCursor: undefined };
  const ends = items.map(({ endedAt, createdAt }) => (endedAt ?? createdAt).getTime());
  const count = items.length;
  const times = { firstAt: Math.min(...ends), lastAt: Math.max(...ends) };
  const one = { ...groupOf(context, newest, { kind, count, ...times }), chainIds: items.map(({ chainId }) => chainId) };
  return { groups: [one], groupCount: 1, failureCount: count, looked: count, nextCursor };
}

function dateOf(since: number | undefined): Date | undefined {
  return since === undefined ? undefined : new Date(since);
}
