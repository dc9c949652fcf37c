import type { StateAdapter } from "chainwright/adapter";
import { createInProcessStateAdapter } from "chainwright";
import type { JournalDurability } from "../../src/index.ts";
import type { SyncPace } from "../../src/sync-pace.ts";
import { afterPowerLoss, createFakeDisk } from "../fake-disk.ts";
import { allChains, jobOf } from "../jobs.ts";
import { openOn } from "../work.ts";
import { addAccident, callers, noLoss, type Acknowledged, type Loss } from "./level.ts";

interface PowerRun {
  readonly durability: JournalDurability;
  readonly pace: SyncPace;
  readonly failures: number;
  /** How long a sync of the disk takes that does not hold the event loop. */
  readonly syncMs: number;
}

const large = { segmentBytes: 10_000_000, snapshotBytes: 10_000_000, roomBytes: 1_000_000 };

/** Callers start chains, the power fails at the moment when a call has returned, and only what was synced is left. */
export async function lossOfPower({ durability, pace, failures, syncMs }: PowerRun): Promise<Loss> {
  const disk = createFakeDisk(undefined, undefined, syncMs);
  const open = async (files = disk): Promise<StateAdapter<object>> => {
    if (durability === "memory") return createInProcessStateAdapter();
    const intervalMs = durability === "full" ? undefined : durability.intervalMs;
    return (await openOn(files, { intervalMs, pace, ...large })).store;
  };
  const store = await open();
  const acknowledged: (Acknowledged & { readonly step: number })[] = [];
  const endsAt = performance.now() + 500;
  const startOnAndOn = async (caller: number): Promise<void> => {
    for (let count = 0; performance.now() < endsAt; count += 1) {
      const id = `${caller}-${count}`;
      await store.start([{ starts: [jobOf(id)] }], {});
      acknowledged.push({ id, at: performance.now(), step: disk.steps.length });
      // Otherwise nothing but callers would run at levels that do not wait.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => startOnAndOn(caller)));
  let loss = noLoss;
  for (let failure = 0; failure < failures; failure += 1) {
    const last = Math.floor(((failure + 1) / failures) * (acknowledged.length - 1));
    const before = acknowledged.slice(0, last + 1);
    const { at = 0, step = 0 } = acknowledged[last] ?? {};
    const left = createFakeDisk(afterPowerLoss(disk.steps.slice(0, step), () => false));
    const chains = await (await open(left)).listChains(allChains, {});
    loss = addAccident(loss, { acknowledged: before, there: new Set(chains.map(({ id }) => id)), at });
  }
  await store.close();
  return loss;
}
