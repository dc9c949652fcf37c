import type { ClaimedJob } from "../../model/record.ts";
import type { Claim, ExchangeReply, ExchangeRequest } from "../../ports/exchange.ts";
import { claimParts } from "../../rules/claim-parts.ts";
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
  const { expired, nextInMs = Infinity } = claim.deadlines === true ? expireDeadlines(rows, now) : noExpiry;
  promote(store, now);
  let claimed: readonly ClaimedJob[] = nothing;
  let next = Infinity;
  for (const part of claimParts(claim)) {
    const taken = claimPart(store, part, now);
    claimed = claimed.length === 0 ? taken.claimed : [...claimed, ...taken.claimed];
    if (taken.claimed.length < part.limit) next = Math.min(next, taken.nextInMs, nextInMs);
  }
  return { settled, released, claimed, expired, nextDueInMs: next === Infinity ? undefined : next };
}

interface PartTaken {
  readonly claimed: readonly ClaimedJob[];
  readonly nextInMs: number;
}

function claimPart(store: Store, claim: Claim, now: number): PartTaken {
  const asked = store.pauses.size === 0 ? { claim, endsInMs: Infinity } : unpaused(store, claim, now);
  const isLimited = claim.limited === true || store.limits.isFresh;
  const claimed = isLimited ? claimWithLimits(store, asked.claim, now) : claimJobs(store, asked.claim, now);
  if (claimed.length >= claim.limit) return { claimed, nextInMs: Infinity };
  const opensInMs = isLimited ? laneOpensInMs(store, asked.claim, now) : Infinity;
  return { claimed, nextInMs: Math.min(nextDueInMs(store, asked.claim, now) ?? Infinity, asked.endsInMs, opensInMs) };
}

const noExpiry: Expiry = { expired: undefined, nextInMs: undefined };

function laneOpensInMs(store: Store, claim: Claim, now: number): number {
  const at = nextLookAt(store, claim);
  return at === undefined ? Infinity : Math.max(0, at - now);
}
