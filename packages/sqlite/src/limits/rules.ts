import type { LimitRule } from "chainwright/adapter";

/** The numbers of a rule, as columns. */
export interface RuleColumns {
  readonly concurrency: number | null;
  readonly rate_count: number | null;
  readonly rate_per_ms: number | null;
  readonly rate_spread: number | null;
}

/** What is stored of a limit: texts from which follows what counts for its keys. */
export interface RuleRow {
  readonly declared: string | null;
  readonly code_version: number | null;
  readonly override: string | null;
  readonly paused_until: number | null;
}

/** In the order of {@link RuleColumns}. */
export function ruleValues(
  rule: LimitRule | undefined,
): readonly [number | null, number | null, number | null, number | null] {
  const rate = rule?.rate;
  return [
    rule?.concurrency ?? null,
    rate?.count ?? null,
    rate?.perMs ?? null,
    rate === undefined ? null : Number(rate.spread),
  ];
}

export function ruleOf(columns: RuleColumns): LimitRule {
  const { concurrency, rate_count: count, rate_per_ms: perMs, rate_spread: spread } = columns;
  const rate = count === null || perMs === null ? undefined : { count, perMs, spread: spread === 1 };
  return { concurrency: concurrency ?? undefined, rate };
}

/** `over` counts, number by number, and `under` where it says nothing. */
export function overridden(under: LimitRule | undefined, over: LimitRule | undefined): LimitRule {
  return { concurrency: over?.concurrency ?? under?.concurrency, rate: over?.rate ?? under?.rate };
}

/** The same rule always has the same text; `ruleOfText` reads it. */
export function storedRule(rule: LimitRule | undefined): string | null {
  if (rule === undefined) return null;
  const { concurrency = null, rate } = rule;
  return JSON.stringify([concurrency, rate === undefined ? null : [rate.count, rate.perMs, rate.spread]]);
}
