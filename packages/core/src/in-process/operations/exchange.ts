import type { Claim, ExchangeReply, ExchangeRequest } from "../../ports/exchange.ts";
import { expireDeadlines, type Expiry } from "../../rules/deadlines.ts";
import { carryOn } from "../../rules/release.ts";
import { settle } from "../../rules/settle.ts";
import { claimWithLimits, nextLookAt } from "../claim-limited.ts";
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
  const { expired, nextInMs } = claim.deadlines === true ? expireDeadlines(rows, now) : noExpiry;
  promote(store, now);
  const asked = store.pauses.size === 0 ? { claim, endsInMs: Infinity } : unpaused(store, claim, now);
  const isLimited = claim.limited === true || store.limits.isFresh;
  const claimed = isLimited ? claimWithLimits(store, asked.claim, now) : claimJobs(store, asked.claim, now);
  if (claimed.length >= claim.limit) return { settled, released, claimed, expired, nextDueInMs: undefined };
  const opensInMs = isLimited ? laneOpensInMs(store, asked.claim, now) : Infinity;
  const due = Math.min(nextDueInMs(store, asked.claim, now) ?? Infinity, nextInMs ?? Infinity);
  const next = Math.min(due, asked.endsInMs, opensInMs);
  return { settled, released, claimed, expired, nextDueInMs: next === Infinity ? undefined : next };
}

const noExpiry: Expiry = { expired: undefined, nextInMs: undefined };

function laneOpensInMs(store: Store, claim: Claim, now: number): number {
  const at = nextLookAt(store, claim);
  return at === undefined ? Infinity : Math.max(0, at - now);
}
