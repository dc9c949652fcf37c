import type { Hint, HintListener } from "chainwright/adapter";
import { ConformanceFailure } from "../check.ts";

/** Far above what any broker takes; a case fails when it passes. */
const patienceMs = 15_000;

export type Heard = Hint | "lost" | "restored";

/** A listener that keeps what it hears, and lets a case wait for it. */
export interface Ear {
  readonly listener: HintListener;
  readonly heard: readonly Heard[];
  /** Resolves once what was heard fits; rejects when it does not in time. */
  until(rule: string, fits: (heard: readonly Heard[]) => boolean): Promise<void>;
  /** Resolves once a hint about this chain was heard. */
  ended(chainId: string): Promise<void>;
}

export function createEar(): Ear {
  const heard: Heard[] = [];
  const waits = new Set<() => void>();
  const hear = (...said: readonly Heard[]): void => {
    heard.push(...said);
    for (const wait of waits) wait();
  };
  const until: Ear["until"] = (rule, fits) =>
    new Promise((resolve, reject) => {
      const wait = (): void => {
        if (!fits(heard)) return;
        waits.delete(wait);
        clearTimeout(patience);
        resolve();
      };
      const giveUp = (): void => {
        waits.delete(wait);
        reject(new ConformanceFailure(rule, { expected: `${rule} within ${patienceMs} ms`, actual: heard }));
      };
      const patience = setTimeout(giveUp, patienceMs);
      waits.add(wait);
      wait();
    });
  return {
    heard,
    until,
    ended: (chainId) => until(`the end of ${chainId} is heard`, (all) => all.some((each) => isEndOf(each, chainId))),
    listener: {
      onMessage: ({ hints }) => hear(...hints),
      onLost: () => hear("lost"),
      onRestored: () => hear("restored"),
    },
  };
}

function isEndOf(heard: Heard, chainId: string): boolean {
  return typeof heard === "object" && heard.kind === "ended" && heard.chainId === chainId;
}
