import type { Hint, HintListener } from "chainwright/adapter";
import { failureOf } from "../check.ts";

/** Much longer than any broker needs; a case fails after it. */
const limitMs = 15_000;

export type Received = Hint | "lost" | "restored";

/** A listener that records what it receives, and lets a case wait for it. */
export interface HintRecorder {
  readonly listener: HintListener;
  readonly received: readonly Received[];
  /** Resolves once `fits` accepts what was received; rejects after the time limit. */
  until(rule: string, fits: (received: readonly Received[]) => boolean): Promise<void>;
  /** Resolves once a hint about this chain was received. */
  ended(chainId: string): Promise<void>;
}

export function createHintRecorder(): HintRecorder {
  const received: Received[] = [];
  const waits = new Set<() => void>();
  const record = (...entries: readonly Received[]): void => {
    received.push(...entries);
    for (const wait of waits) wait();
  };
  const until: HintRecorder["until"] = (rule, fits) =>
    new Promise((resolve, reject) => {
      const wait = (): void => {
        if (!fits(received)) return;
        waits.delete(wait);
        clearTimeout(patience);
        resolve();
      };
      const giveUp = (): void => {
        waits.delete(wait);
        reject(failureOf(rule, { wanted: `this within ${limitMs} ms`, actual: received }));
      };
      const patience = setTimeout(giveUp, limitMs);
      waits.add(wait);
      wait();
    });
  return {
    received,
    until,
    ended: (chainId) => until(`the end of ${chainId} is received`, (all) => all.some((each) => isEndOf(each, chainId))),
    listener: {
      onMessage: ({ hints }) => record(...hints),
      onLost: () => record("lost"),
      onRestored: () => record("restored"),
    },
  };
}

function isEndOf(received: Received, chainId: string): boolean {
  return typeof received === "object" && received.kind === "ended" && received.chainId === chainId;
}
