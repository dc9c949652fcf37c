import type { ExchangeReply, ExchangeRequest } from "../../ports/exchange.ts";
import { carryOn } from "../../rules/release.ts";
import { settle } from "../../rules/settle.ts";
import { claimJobs, nextDueInMs } from "../claim.ts";
import { nothing } from "../../rules/replies.ts";
import type { InProcessRows } from "../rows.ts";
import { unpaused } from "../pauses.ts";
import { promote } from "../store.ts";
import type { Store } from "../store.ts";

export function exchange(rows: InProcessRows, { outcomes, claim }: ExchangeRequest, now: number): ExchangeReply {
  const { store } = rows;
  const settled = settle(rows, outcomes, now);
  const released = carryOn(rows, now);
  if (claim === undefined) return { settled, released, claimed: nothing, nextDueInMs: undefined };
  promote(store, now);
  const asked = store.pauses.size === 0 ? { claim, endsInMs: Infinity } : unpaused(store, claim, now);
  const claimed = claimJobs(store, asked.claim, now);
  const filled = claimed.length >= claim.limit;
  return { settled, released, claimed, nextDueInMs: filled ? undefined : nextLookInMs(store, asked, now) };
}

function nextLookInMs(store: Store, { claim, endsInMs }: ReturnType<typeof unpaused>, now: number): number | undefined {
  const next = Math.min(nextDueInMs(store, claim, now) ?? Infinity, endsInMs);
  return next === Infinity ? undefined : next;
}
