import { fated } from "@chainwright/backends/notify-fates";
import type { Fate } from "@chainwright/backends/notify-fates";
import type { OpenStore, StorePlace } from "../store/open-store.ts";
import { openStore } from "../store/place.ts";

/** Longer than most of the steps take. */
const lateMs = 500;

/** Opens the store as an application does, with something in the way of its notifications. */
export function openFatedStore(place: StorePlace, fate: Fate): OpenStore {
  const store = openStore(place);
  const { notifyAdapter } = store;
  return { ...store, notifyAdapter: notifyAdapter === undefined ? undefined : fated(notifyAdapter, fate, lateMs) };
}
