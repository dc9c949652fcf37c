import type { CallOptions, ExchangeReply, ExchangeRequest } from "chainwright/adapter";
import type { Fact } from "../result-rows.ts";
import type { Store } from "../store.ts";
import { claimCall, claimedOf } from "./claim.ts";
import { releasedOf } from "../consequences.ts";
import { settleWith, settledOf } from "./settle.ts";

/** Settles outcomes, carries on a release, then promotes due jobs and claims, in one statement: its parts run in the order in which they stand. */
export async function exchange<Tx>(
  store: Store<Tx>,
  { outcomes, claim }: ExchangeRequest,
  options: CallOptions<Tx>,
): Promise<ExchangeReply> {
  const look = claim && store.front.look(claim);
  const then = claim && look ? claimCall(claim, look.from) : { name: "resume_release_alone_v1", parameters: [] };
  let facts: readonly Fact[];
  try {
    facts = await settleWith(store, outcomes, [then], options);
  } catch (error) {
    look?.failed();
    throw error;
  }
  const { released, againInMs } = releasedOf(facts);
  const { claimed, nextDueInMs, found } = claimedOf(facts);
  look?.found(found);
  const nextLookInMs = claim && claimed.length < claim.limit ? look?.nextInMs : undefined;
  return {
    settled: settledOf(outcomes, facts),
    released,
    claimed,
    nextDueInMs: least(least(nextDueInMs, nextLookInMs), againInMs),
  };
}

function least(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return Math.min(left, right);
}
