import type { Hint } from "../ports/notify.ts";
import { mergeHints } from "./hints.ts";

/** Hints that wait to be sent, however long that takes: their number is bounded. */
export interface HintQueue {
  add(hints: readonly Hint[]): void;
  /** Hints were lost: a hint to look takes their place. */
  noteLoss(): void;
  isEmpty(): boolean;
  /** Takes out all of them, each once. */
  take(): readonly Hint[];
}

/** The most hints kept about chains that ended, and about jobs to interrupt. All others are few: one for each type and worker. */
const mostKept = 10_000;

/**
 * Beyond the bound all hints about ended chains are dropped first, then those about interrupted jobs; one hint to look replaces
 * them. Hints that begin work are never dropped.
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
      // Those who look find what the others were about as well.
      isOver = true;
      hints.clear();
    },
    size: () => (isOver ? 1 : hints.size),
    hasLoss: () => isOver,
    kept: () => hints.values(),
  };
}
