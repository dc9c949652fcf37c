import { rules, type LimitChange, type LimitKey, type LimitRule } from "chainwright/adapter";
import { forever } from "../limits/gates.ts";
import { overridden, ruleOf, ruleValues, storedRule, type RuleColumns, type RuleRow } from "../limits/rules.ts";
import { createLimitTriggers } from "../limits/triggers.ts";
import { breakerOf, ruleOfText } from "../result-rows.ts";
import type { Store } from "../store.ts";

interface KeyRow extends RuleColumns {
  readonly paused_until: number | null;
}

interface KeyFacts {
  readonly rule: LimitRule | undefined;
  readonly until: number | null;
}

interface KnownChange {
  readonly until: number | null;
  readonly isReset: boolean;
}

type ChangeOf<Kind> = Extract<LimitChange, { readonly kind: Kind }>;

function statementsOf({ tables: t, sql }: Store) {
  return {
    rule: sql<RuleRow>(`select declared, code_version, override, paused_until from ${t.limitRule} where name = ?`),
    setRule: sql(
      `insert into ${t.limitRule} (name, concurrency, rate_count, rate_per_ms, rate_spread, declared, code_version, override, paused_until)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (name) do update set concurrency = excluded.concurrency, rate_count = excluded.rate_count,
         rate_per_ms = excluded.rate_per_ms, rate_spread = excluded.rate_spread, declared = excluded.declared,
         code_version = excluded.code_version, override = excluded.override, paused_until = excluded.paused_until`,
    ),
    gate: sql<KeyRow>(
      `select concurrency, rate_count, rate_per_ms, rate_spread, paused_until from ${t.gate} where name = ? and key = ?`,
    ),
    setGate: sql(
      `insert into ${t.gate} (name, key, concurrency, rate_count, rate_per_ms, rate_spread, paused_until) values (?, ?, ?, ?, ?, ?, ?)
       on conflict (name, key) do update set concurrency = excluded.concurrency, rate_count = excluded.rate_count,
         rate_per_ms = excluded.rate_per_ms, rate_spread = excluded.rate_spread, paused_until = excluded.paused_until`,
    ),
    breaker: sql<{ breaker: string | null }>(`select breaker from ${t.gate} where name = ? and key = ?`),
    setBreaker: sql(
      `insert into ${t.gate} (name, key, breaker) values (?, ?, ?)
       on conflict (name, key) do update set breaker = excluded.breaker`,
    ),
    closeBreakers: sql(`update ${t.gate} set breaker = null where name = ? and breaker is not null`),
    lookAtKey: sql(
      `update ${t.closedName} set look_at = ? where gate = (select id from ${t.gate} where name = ? and key = ?)`,
    ),
    lookAtAll: sql(`update ${t.closedName} set look_at = ? where gate in (select id from ${t.gate} where name = ?)`),
  };
}

/** Writes what is said of a limit or a key. Claims look again at the lanes that it has closed, because it may allow more now. */
function createSay(store: Store) {
  const statements = statementsOf(store);
  return {
    statements,
    ofLimit: (limit: string, row: RuleRow, now: number): void => {
      const counts = overridden(ruleOfText(row.declared), ruleOfText(row.override));
      const { declared, code_version: codeVersion, override, paused_until: until } = row;
      statements.setRule.run(limit, ...ruleValues(counts), declared, codeVersion, override, until);
      statements.lookAtAll.run(now, limit);
    },
    ofKey: ({ limit, key }: LimitKey, { rule, until }: KeyFacts, now: number): void => {
      statements.setGate.run(limit, key, ...ruleValues(rule), until);
      statements.lookAtKey.run(now, limit, key);
    },
  };
}

type Say = ReturnType<typeof createSay>;

function declare({ statements, ofLimit }: Say, { limit, rule, codeVersion }: ChangeOf<"declare">, now: number): true {
  const known = statements.rule.get(limit) ?? unknown;
  const isOlder = (codeVersion ?? -Infinity) < (known.code_version ?? -Infinity);
  if (known.declared !== null && isOlder) return true;
  const declared = storedRule(rule);
  // Each worker declares when it starts: most often nothing is new.
  if (known.declared === declared && known.code_version === (codeVersion ?? null)) return true;
  ofLimit(limit, { ...known, declared, code_version: codeVersion ?? null }, now);
  return true;
}

function addOverride(say: Say, { limit, key, rule }: ChangeOf<"override">, now: number): true {
  const known = say.statements.rule.get(limit);
  if (key === undefined) {
    const text = storedRule(overridden(ruleOfText(known?.override ?? null), rule));
    say.ofLimit(limit, { ...(known ?? unknown), override: text }, now);
    return true;
  }
  if (known === undefined) say.ofLimit(limit, unknown, now);
  const row = say.statements.gate.get(limit, key);
  const until = row?.paused_until ?? null;
  say.ofKey({ limit, key }, { rule: overridden(row && ruleOf(row), rule), until }, now);
  return true;
}

/** Returns whether the breaker of the key has opened or closed. */
function tellBreaker({ statements }: Say, change: ChangeOf<"failed" | "succeeded">, now: number): boolean {
  const { limit, key } = change;
  if (statements.rule.get(limit) === undefined) return false;
  const text = statements.breaker.get(limit, key)?.breaker ?? null;
  const before = breakerOf(text);
  if (change.kind === "succeeded") {
    const closes = rules.breakerCloses(before, change.jobId);
    if (closes) closeBreaker(statements, change, now);
    return closes;
  }
  const { state, hasOpened } = rules.breakerFailed(before, change, now);
  if (state !== before) statements.setBreaker.run(limit, key, state === undefined ? null : JSON.stringify(state));
  return hasOpened;
}

function closeBreaker(statements: Say["statements"], { limit, key }: LimitKey, now: number): void {
  statements.setBreaker.run(limit, key, null);
  statements.lookAtKey.run(now, limit, key);
}

/** Changes a pause or removes an override, if the limit is known. */
function changeKnown(
  say: Say,
  { limit, key, kind }: ChangeOf<"reset" | "pause" | "resume">,
  { now, changed }: { readonly now: number; readonly changed: (until: number | null) => KnownChange },
): boolean {
  const known = say.statements.rule.get(limit);
  if (known === undefined) return false;
  if (key === undefined) {
    if (kind === "resume") say.statements.closeBreakers.run(limit);
    const { until, isReset } = changed(known.paused_until);
    say.ofLimit(limit, { ...known, override: isReset ? null : known.override, paused_until: until }, now);
    return true;
  }
  const row = say.statements.gate.get(limit, key);
  if (kind === "resume" && row !== undefined) say.statements.setBreaker.run(limit, key, null);
  const { until, isReset } = changed(row?.paused_until ?? null);
  say.ofKey({ limit, key }, { rule: row === undefined || isReset ? undefined : ruleOf(row), until }, now);
  return true;
}

export function createChangeLimits(store: Store): (changes: readonly LimitChange[], now: number) => readonly boolean[] {
  const say = createSay(store);
  const prepareLimits = createLimitTriggers(store);

  const apply = (change: LimitChange, now: number): boolean => {
    switch (change.kind) {
      case "declare":
        return declare(say, change, now);
      case "override":
        return addOverride(say, change, now);
      case "reset":
        return changeKnown(say, change, { now, changed: (until) => ({ until, isReset: true }) });
      case "pause": {
        const end = change.forMs === undefined ? forever : now + Math.ceil(change.forMs);
        return changeKnown(say, change, {
          now,
          changed: (until) => ({ until: Math.max(end, until ?? 0), isReset: false }),
        });
      }
      case "failed":
      case "succeeded":
        return tellBreaker(say, change, now);
      case "resume":
        return changeKnown(say, change, { now, changed: () => ({ until: null, isReset: false }) });
    }
  };

  return (changes, now) => {
    if (changes.some(({ kind }) => kind === "declare" || kind === "override")) prepareLimits();
    return changes.map((change) => apply(change, now));
  };
}

const unknown: RuleRow = { declared: null, code_version: null, override: null, paused_until: null };
