import type { CallOptions } from "chainwright/adapter";
import type { Seen } from "../claim-found.ts";
import { call, type Store } from "../store.ts";

/** Looks for jobs that claims do not see, if it is time to. The caller does not wait; the store does when it is closed. */
export function lookBack<Tx>(store: Store<Tx>, { now }: CallOptions<Tx>): void {
  const look = store.claimStart.beginLook();
  if (look === undefined) return;
  const looking = call(store, { name: "look_back_v1", parameters: [look.places] }, { now }).then(
    ([row]) => look.ended(JSON.parse(String(row?.[0])) as Seen),
    () => look.failed(),
  );
  store.inBackground(looking);
}
