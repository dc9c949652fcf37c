import type { PauseRequest } from "../../ports/pause.ts";
import { removePassed, setPause } from "../pauses.ts";
import type { Store } from "../store.ts";

export function setPauses(store: Store, { pauses, resume }: PauseRequest, now: number): void {
  removePassed(store, now);
  for (const { forMs, ...said } of pauses) {
    const until = forMs === undefined ? undefined : now + forMs;
    setPause(store, said.typeName, { ...said, pausedAt: now, until });
  }
  for (const typeName of resume) setPause(store, typeName, undefined);
}
