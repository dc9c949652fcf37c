import type { Hint } from "../ports/notify.ts";

/** The most moments at which jobs of one type are due, in one message. */
const mostMoments = 20;

/**
 * Merges hints that were collected while a message was under way: one hint for each type, chain and job, and one for each moment
 * at which jobs of a type are due. Where these are too many, one hint that makes all workers look replaces them.
 */
export function mergeHints(hints: readonly Hint[]): Hint[] {
  const merged = mergeEqual(hints);
  const crowded = crowdedTypes(merged);
  if (crowded.size === 0) return merged;
  const rest = merged.filter((hint) => !isDueHint(hint) || !crowded.has(hint.typeName));
  return mergeEqual([...rest, ...Array.from(crowded, (typeName): Hint => ({ kind: "ready", typeName, count: 1 }))]);
}

type DueHint = Extract<Hint, { readonly kind: "ready" }> & { readonly dueInMs: number };

function isDueHint(hint: Hint): hint is DueHint {
  return hint.kind === "ready" && hint.dueInMs !== undefined;
}

function crowdedTypes(hints: readonly Hint[]): ReadonlySet<string> {
  const moments = new Map<string, number>();
  for (const hint of hints) if (isDueHint(hint)) moments.set(hint.typeName, (moments.get(hint.typeName) ?? 0) + 1);
  return new Set([...moments].filter(([, count]) => count > mostMoments).map(([typeName]) => typeName));
}

function mergeEqual(hints: readonly Hint[]): Hint[] {
  const merged = new Map<string, Hint>();
  for (const hint of hints) {
    const key = `${hint.kind} ${subjectOf(hint)}`;
    const before = merged.get(key);
    const isSum = before !== undefined && "count" in before && "count" in hint;
    merged.set(key, isSum ? { ...hint, count: before.count + hint.count } : hint);
  }
  return [...merged.values()];
}

function subjectOf(hint: Hint): string {
  switch (hint.kind) {
    case "ready":
      return `${hint.draw === undefined ? "all" : (hint.dueInMs ?? "some")} ${hint.typeName}`;
    case "taken":
      return `${hint.workerId} ${hint.typeName}`;
    case "left":
      return hint.workerId;
    case "ended":
      return hint.chainId;
    case "interrupt":
      return hint.jobId;
    case "look":
      return "";
  }
}
