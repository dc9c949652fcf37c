import type { LimitInfo, Page } from "chainwright";
import type { Call, Context } from "../context.ts";
import type { LimitsResponse } from "../protocol/limits.ts";
import { queries, readQuery } from "../http/query.ts";
import { declaredLimitView, limitKeyView } from "../limit-views.ts";

/** A request looks at up to this many keys, page by page, until its time is used: the jobs that wait for a key are counted. */
const mostLooked = 500;
const pageSize = 250;
const longestMs = 100;
const mostShown = 100;
const mostDeclared = 200;

/** The declared limits, and the busiest keys among a window of those in use. */
export async function limits(context: Context, { query }: Call): Promise<LimitsResponse> {
  const { limit, key, busy, order = "running", cursor } = readQuery(query, queries.limits);
  const { client, clock, redaction } = context;
  const startedAt = clock.now();
  const found: LimitInfo[] = [];
  let next = cursor;
  do {
    const page: Page<LimitInfo> =
      limit === undefined || key === undefined
        ? await client.listLimits({ limit, busy: busy === "true", cursor: next, pageSize })
        : await client.listLimits({ limit, key });
    found.push(...page.items);
    next = page.nextCursor;
  } while (next !== undefined && found.length < mostLooked && clock.now() - startedAt < longestMs);
  const views = found.map((info) => limitKeyView(info, redaction));
  // A hidden key is not found by its text, and a cursor that names one stays here.
  const shown = key === undefined ? views : views.filter(({ id }) => id !== undefined);
  const declared = await client.listDeclaredLimits();
  return {
    now: clock.now(),
    declared: declared.slice(0, mostDeclared).map(declaredLimitView),
    moreDeclared: Math.max(0, declared.length - mostDeclared),
    keys: shown
      .toSorted((one, other) => other[order] - one[order] || busyness(other) - busyness(one))
      .slice(0, mostShown),
    looked: shown.length,
    nextCursor: views.at(-1)?.id === undefined ? undefined : next,
  };
}

function busyness({ running, waiting }: { readonly running: number; readonly waiting: number }): number {
  return running + waiting;
}
