import type { Hint } from "../ports/notify.ts";
import { mergeHints } from "./merge-hints.ts";

/** Hints that wait to be sent. Their number is limited, because that may take long. */
export interface HintQueue {
  add(hints: readonly Hint[]): void;
  /** Hints were lost: a hint to look takes their place. */
  noteLoss(): void;
  isEmpty(): boolean;
  /** Takes out all hints, without duplicates. */
  take(): readonly Hint[];
}

/** The most hints about ended chains, and the most about jobs to interrupt. There are fewer others: see `mergeHints`. */
const mostKept = 10_000;

/**
 * When there are too many hints about ended chains, or about jobs to interrupt, all hints of that kind are dropped, and one
 * `look` hint replaces them. Hints about jobs that became ready are never dropped.
 */
export function createHintQueue(): HintQueue {
  let work: Hint[] = [];
  let ended = createBounded();
  let interrupts = createBounded();
  let hasLoss = false;

  return {
    add(hints) {
      for (const hint of hints) {
        if (hint.kind === "ended") ended.add(hint.chainId, hint);
        else if (hint.kind === "interrupt") interrupts.add(hint.jobId, hint);
        else if (hint.kind === "look") hasLoss = true;
        else work.push(hint);
      }
      work = mergeHints(work);
    },
    noteLoss() {
      hasLoss = true;
    },
    isEmpty: () => !hasLoss && work.length + ended.size() + interrupts.size() === 0,
    take() {
      const look: readonly Hint[] = hasLoss || ended.hasLoss() || interrupts.hasLoss() ? [{ kind: "look" }] : [];
      const taken = [...work, ...look, ...interrupts.kept(), ...ended.kept()];
      [work, ended, interrupts, hasLoss] = [[], createBounded(), createBounded(), false];
      return taken;
    },
  };
}

function createBounded() {
  const hints = new Map<string, Hint>();
  let isOver = false;
  return {
    add(id: string, hint: Hint): void {
      if (!isOver) hints.set(id, hint);
      if (hints.size <= mostKept) return;
      // A process that looks in the store finds what the dropped hints were about.
      isOver = true;
      hints.clear();
    },
    size: () => (isOver ? 1 : hints.size),
    hasLoss: () => isOver,
    kept: () => hints.values(),
  };
}
