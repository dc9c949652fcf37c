import type { PausedType } from "../../ports/pause.ts";
import { pausesAt } from "../pauses.ts";
import type { Store } from "../store.ts";

export function listPauses(store: Store, _request: undefined, now: number): readonly PausedType[] {
  return pausesAt(store, now);
}
