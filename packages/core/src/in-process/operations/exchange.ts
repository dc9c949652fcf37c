import type { ExchangeReply, ExchangeRequest } from "../../ports/state.ts";
import { carryOn } from "../chain-end.ts";
import { claimJobs, nextDueInMs } from "../claim.ts";
import { nothing } from "../records.ts";
import { promote } from "../store.ts";
import type { Store } from "../store.ts";
import { settle } from "./settle.ts";

export function exchange(store: Store, { outcomes, claim }: ExchangeRequest, now: number): ExchangeReply {
  const settled = settle(store, outcomes, now);
  const released = carryOn(store, now);
  if (claim === undefined) return { settled, released, claimed: nothing, nextDueInMs: undefined };
  promote(store, now);
  const claimed = claimJobs(store, claim, now);
  const filled = claimed.length >= claim.limit;
  return { settled, released, claimed, nextDueInMs: filled ? undefined : nextDueInMs(store, claim, now) };
}
