import type { Hint } from "../ports/notify.ts";

/** Merges hints that were collected while a message was under way: one hint for each type, chain and job. */
export function mergeHints(hints: readonly Hint[]): Hint[] {
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
      return `${hint.draw === undefined ? "all" : "some"} ${hint.typeName}`;
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
