import type { Hint } from "../ports/notify.ts";

/** The most moments at which jobs of one type are due, in one message. */
const mostMoments = 200;

/**
 * Merges hints that were collected while a message was under way: one hint for each type, chain and job, and one for each moment
 * at which jobs of a type are due. Where these are too many, neighbouring moments become one, the first of them: who looks then
 * learns when the next job is due.
 */
export function mergeHints(hints: readonly Hint[]): Hint[] {
  if (hints.length < 2) return [...hints];
  const merged = mergeEqual(hints);
  const dueHints = merged.filter(isDueHint);
  if (dueHints.length <= mostMoments) return merged;
  const byType = Map.groupBy(dueHints, ({ typeName }) => typeName);
  return [...merged.filter((hint) => !isDueHint(hint)), ...[...byType.values()].flatMap(fewerMoments)];
}

type DueHint = Extract<Hint, { readonly kind: "ready" }> & { readonly dueInMs: number };

function isDueHint(hint: Hint): hint is DueHint {
  return hint.kind === "ready" && hint.dueInMs !== undefined;
}

function fewerMoments(hints: readonly DueHint[]): readonly Hint[] {
  const size = Math.ceil(hints.length / mostMoments);
  const sorted = hints.toSorted((one, other) => one.dueInMs - other.dueInMs);
  return sorted
    .filter((_, index) => index % size === 0)
    .map((first, group) => {
      const together = sorted.slice(group * size, (group + 1) * size);
      return { ...first, count: together.reduce((sum, { count }) => sum + count, 0) };
    });
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
    case "watched":
    case "noted":
      return hint.jobId;
    case "paused":
      return hint.typeName;
    case "freed":
      return hint.limit;
    case "deadline":
      return String(Math.floor(hint.inMs / 100));
    case "schedules":
    case "look":
      return "";
  }
}
