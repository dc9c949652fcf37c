import type { LimitRule } from "../../model/limit.ts";
import type { LimitChange } from "../../ports/limit.ts";
import { breakerCloses, breakerFailed } from "../../rules/breaker.ts";
import { setFacts } from "../limit-facts.ts";
import { limitRow } from "../lane-of.ts";
import type { KeyFacts } from "../limit-said.ts";
import type { LimitRow } from "../row-types.ts";
import type { Store } from "../store.ts";

export function changeLimits(store: Store, changes: readonly LimitChange[], now: number): readonly boolean[] {
  return changes.map((change) => {
    const isKnown = store.limits.rows.get(change.limit)?.said.isKnown === true;
    if (!isKnown && change.kind !== "declare" && change.kind !== "override") return false;
    const row = limitRow(store.limits, change.limit);
    if (!isKnown) setFacts(store, row, undefined, { ...row.said, isKnown: true });
    if (change.kind === "declare") declare(store, row, change);
    else if (change.kind === "failed" || change.kind === "succeeded") return tellBreaker(store, row, { change, now });
    else changeKey(store, row, { change, now });
    return true;
  });
}

function declare(
  store: Store,
  row: LimitRow,
  { rule, codeVersion }: Extract<LimitChange, { readonly kind: "declare" }>,
): void {
  const { said } = row;
  if (said.codeVersion !== undefined && (codeVersion ?? -Infinity) < said.codeVersion) return;
  setFacts(store, row, undefined, { ...said, declared: rule, codeVersion });
}

type Report = Extract<LimitChange, { readonly kind: "failed" | "succeeded" }>;

/** Returns whether the breaker has opened or closed. */
function tellBreaker(
  store: Store,
  row: LimitRow,
  { change, now }: { readonly change: Report; readonly now: number },
): boolean {
  const { key } = change;
  const before = row.keys.get(key) ?? none;
  if (change.kind === "succeeded") {
    const closes = breakerCloses(before.breaker, change.jobId);
    if (closes) setFacts(store, row, key, { ...before, breaker: undefined });
    return closes;
  }
  const { state, hasOpened } = breakerFailed(before.breaker, change, now);
  if (state !== before.breaker) setFacts(store, row, key, { ...before, breaker: state });
  return hasOpened;
}

type KeyChange = Exclude<LimitChange, Report | { readonly kind: "declare" }>;

const none: KeyFacts = { override: undefined, pausedUntil: undefined };

/** Changes what counts for one key, or for all keys. */
function changeKey(
  store: Store,
  row: LimitRow,
  { change, now }: { readonly change: KeyChange; readonly now: number },
): void {
  const { key } = change;
  const before = key === undefined ? row.said : (row.keys.get(key) ?? none);
  setFacts(store, row, key, { ...before, ...changed(before, change, now) });
  if (change.kind !== "resume" || key !== undefined) return;
  for (const [own, facts] of row.keys)
    if (facts.breaker !== undefined) setFacts(store, row, own, { ...facts, breaker: undefined });
}

function changed({ override, pausedUntil }: KeyFacts, change: KeyChange, now: number): Partial<KeyFacts> {
  switch (change.kind) {
    case "override":
      return { override: added(override, change.rule) };
    case "reset":
      return { override: undefined };
    case "pause":
      return { pausedUntil: Math.max(pausedUntil ?? 0, now + (change.forMs ?? Infinity)) };
    case "resume":
      return { pausedUntil: undefined, breaker: undefined };
  }
}

function added(before: LimitRule | undefined, { concurrency, rate }: LimitRule): LimitRule {
  return { concurrency: concurrency ?? before?.concurrency, rate: rate ?? before?.rate };
}
