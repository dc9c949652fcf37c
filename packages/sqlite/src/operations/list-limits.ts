import {
  rules as engine,
  type LimitDeclaration,
  type LimitKey,
  type LimitQuery,
  type LimitRecord,
  type OpenBreaker,
} from "chainwright/adapter";
import { countingColumns, forever, windowOf, type Gate } from "../limits/gates.ts";
import { ruleOf, type RuleRow } from "../limits/rules.ts";
import { breakerOf, ruleOfText } from "../result-rows.ts";
import type { Store } from "../store.ts";
import { createFilter } from "./page.ts";
import { createStatements } from "./statements.ts";

interface GateRow extends Gate {
  readonly name: string;
  readonly key: string;
  readonly waiting: number;
  readonly all_declared: string | null;
  /** 1: its own numbers count, or those of an override for all keys. */
  readonly overridden: number;
}

/** Paused, or closed by failures. */
const isClosed = "max(coalesce(g.paused_until, 0), coalesce(r.paused_until, 0)) > ? or g.breaker ->> 'kind' = 'opened'";

export function createListLimits(store: Store): (query: LimitQuery, now: number) => readonly LimitRecord[] {
  const { tables: t } = store;
  // In lanes, and before them. With one condition for both, or in another order of the tables, SQLite would read the whole index.
  const waitingIn = (lane: string) =>
    `${t.laneGate} lg cross join ${t.openJob} o where o.state = 3 and o.lane <> 0 and o.lane = ${lane} and lg.gate = g.id`;
  const select = (of: string) => `select ${of}.name, ${of}.key, coalesce(g.id, 0) as id, coalesce(g.taken, 0) as taken,
       coalesce(g.begun, 0) as begun, 0 as closes, ${countingColumns}, r.declared as all_declared,
       coalesce(r.override, g.concurrency, g.rate_count) is not null as overridden,
       (select count(*) from ${waitingIn("lg.lane")}) + (select count(*) from ${waitingIn("-lg.lane")}) as waiting`;
  const waits = `(exists (select 1 from ${waitingIn("lg.lane")}) or exists (select 1 from ${waitingIn("-lg.lane")}))`;
  const named = store.sql<GateRow>(
    `${select("a")} from (select key as place, value ->> 0 as name, value ->> 1 as key from json_each(?)) a
     left join ${t.gate} g on g.name = a.name and g.key = a.key left join ${t.limitRule} r on r.name = a.name
     order by a.place limit ?`,
  );
  const rests = store.sql<{ count: number; first: number | null }>(
    `select count(*) as count, min(at) as first from ${t.beginning} where gate = ? and n > ? and at > ?`,
  );
  const statement = createStatements<GateRow>(store);

  const used = ({ limitName, isBusy, after, limit }: LimitQuery, now: number): readonly GateRow[] => {
    const filter = createFilter("true");
    if (limitName !== undefined) filter.and("g.name = ?", limitName);
    if (after !== undefined) filter.and("(g.name, g.key) > (?, ?)", after.limit, after.key);
    if (isBusy === true) filter.and(`(${isClosed} or ${waits})`, now);
    const text = `${select("g")} from ${t.gate} g left join ${t.limitRule} r on r.name = g.name
      where ${filter.text} order by g.name, g.key limit ?`;
    return statement(text).all(...filter.parameters, limit);
  };
  const opensInMs = (row: GateRow, now: number): number | undefined => {
    const window = windowOf(row);
    const paused = row.paused_until > now && row.paused_until < forever ? row.paused_until : 0;
    const resting = window && rests.get(row.id, row.begun - window.count, now - window.perMs);
    const isSpent = window !== undefined && resting !== undefined && resting.count >= window.count;
    const token = isSpent ? (resting.first ?? now) + window.perMs : 0;
    const at = Math.max(paused, token, openBreakerOf(row)?.openUntil ?? 0);
    return at > now ? at - now : undefined;
  };

  return (query, now) => {
    const rows =
      query.keys === undefined
        ? used(query, now)
        : named.all(JSON.stringify(query.keys.map(({ limit, key }: LimitKey) => [limit, key])), query.limit);
    return rows.map((row) => ({
      limit: row.name,
      key: row.key,
      running: row.taken,
      waiting: row.waiting,
      rule: row.declared === 0 ? undefined : ruleOf(row),
      declared: ruleOfText(row.all_declared),
      isOverridden: row.overridden === 1,
      pausedUntil: pauseOf(row.paused_until, now),
      breaker: openBreakerOf(row),
      opensInMs: opensInMs(row, now),
    }));
  };
}

export function createListLimitDeclarations({ tables: t, sql }: Store): (now: number) => readonly LimitDeclaration[] {
  const rules = sql<RuleRow & { readonly name: string }>(
    `select name, declared, code_version, override, paused_until from ${t.limitRule} order by name`,
  );
  return (now) =>
    rules.all().map((row) => ({
      limit: row.name,
      declared: ruleOfText(row.declared),
      codeVersion: row.code_version ?? undefined,
      override: ruleOfText(row.override),
      pausedUntil: pauseOf(row.paused_until ?? 0, now),
    }));
}

function openBreakerOf({ breaker }: GateRow): OpenBreaker | undefined {
  return engine.openBreaker(breakerOf(breaker));
}

function pauseOf(until: number, now: number): number | undefined {
  if (until <= now) return undefined;
  return until === forever ? Infinity : until;
}
