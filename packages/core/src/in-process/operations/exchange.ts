import type { ExchangeReply, ExchangeRequest } from "../../ports/exchange.ts";
import { carryOn } from "../../rules/release.ts";
import { settle } from "../../rules/settle.ts";
import { claimJobs, nextDueInMs } from "../claim.ts";
import { nothing } from "../../rules/replies.ts";
import type { InProcessRows } from "../rows.ts";
import { promote } from "../store.ts";

export function exchange(rows: InProcessRows, { outcomes, claim }: ExchangeRequest, now: number): ExchangeReply {
  const { store } = rows;
  const settled = settle(rows, outcomes, now);
  const released = carryOn(rows, now);
  if (claim === undefined) return { settled, released, claimed: nothing, nextDueInMs: undefined };
  promote(store, now);
  const claimed = claimJobs(store, claim, now);
  const filled = claimed.length >= claim.limit;
  return { settled, released, claimed, nextDueInMs: filled ? undefined : nextDueInMs(store, claim, now) };
}
