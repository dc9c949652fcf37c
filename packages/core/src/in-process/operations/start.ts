import type { Reply, StartCall, StartReply } from "../../ports/state.ts";
import { beginChain } from "../begin-chain.ts";
import { allOrNothing } from "../journal.ts";
import { refused } from "../records.ts";
import type { Store } from "../store.ts";

export function start(store: Store, calls: readonly StartCall[], now: number): readonly Reply<readonly StartReply[]>[] {
  const replies: Reply<readonly StartReply[]>[] = [];
  for (const call of calls) {
    replies.push(
      standsAlone(call) ? startAll(store, call, now) : allOrNothing(store, () => startAll(store, call, now)),
    );
  }
  return replies;
}

/** Whether all that may refuse a call comes before the first thing it writes. */
function standsAlone({ starts }: StartCall): boolean {
  return starts.length === 1 && starts[0]?.blockers.length === 0;
}

function startAll(store: Store, { starts }: StartCall, now: number): Reply<readonly StartReply[]> {
  const value: StartReply[] = [];
  for (const one of starts) {
    const chain = beginChain(store, one, now);
    if ("code" in chain) return refused(chain);
    value.push(chain);
  }
  return { ok: true, value };
}
