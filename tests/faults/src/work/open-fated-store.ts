import { setTimeout as delay } from "node:timers/promises";
import { fated } from "@chainwright/backends/notify-fates";
import type { Fate } from "@chainwright/backends/notify-fates";
import { isChainwrightError } from "chainwright";
import type { OpenStore, StorePlace } from "../store/open-store.ts";
import { openStore } from "../store/place.ts";

/** Longer than most of the steps take. */
const lateMs = 500;

/**
 * Opens the store as an application does, with faults in its notifications. A store that cannot be opened,
 * because the disk is full, is tried again, as a supervisor of the application would.
 */
export async function openFatedStore(place: StorePlace, fate: Fate): Promise<OpenStore> {
  const store = await untilOpen(place);
  const { notifyAdapter } = store;
  return { ...store, notifyAdapter: notifyAdapter === undefined ? undefined : fated(notifyAdapter, fate, lateMs) };
}

async function untilOpen(place: StorePlace): Promise<OpenStore> {
  for (;;) {
    try {
      return openStore(place);
    } catch (error) {
      if (!isChainwrightError(error, "store-unavailable")) throw error;
      await delay(100);
    }
  }
}
