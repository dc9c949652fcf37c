import { setTimeout as delay } from "node:timers/promises";
import type { NotifyAdapter } from "chainwright";
import type { Hint, HintMessage } from "chainwright/adapter";

/** What may happen to notifications on their way. None of it may change how the jobs end. */
export const fates = ["real", "none", "doubled", "junk", "late"] as const;
export type Fate = (typeof fates)[number];

/** Returns the adapter with a fault in how it publishes hints. */
export function fated(adapter: NotifyAdapter, fate: Fate, lateMs = 20): NotifyAdapter {
  const publish: Readonly<Record<Fate, (message: HintMessage) => Promise<void>>> = {
    real: (message) => adapter.publish(message),
    none: async () => {},
    async doubled(message) {
      await adapter.publish(message);
      await adapter.publish(message);
    },
    junk: (message) => adapter.publish({ ...message, hints: [...junk, ...message.hints] }),
    async late(message) {
      await delay(lateMs);
      await adapter.publish(message);
    },
  };
  return { ...adapter, publish: publish[fate] };
}

const junk: readonly Hint[] = [
  { kind: "ready", typeName: "unknown", count: 1 },
  { kind: "ready", typeName: "begin", count: 1_000_000 },
  { kind: "ended", chainId: "" },
  { kind: "interrupt", jobId: "00000000-0000-4000-8000-000000000000" },
];
