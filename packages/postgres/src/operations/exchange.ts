import type { CallOptions, ExchangeReply, ExchangeRequest } from "chainwright/adapter";
import { releasedOf } from "../consequences.ts";
import type { ResultRow } from "../result-rows.ts";
import type { FunctionCall, Store } from "../store.ts";
import { cancelledOf } from "./cancel.ts";
import { claimCall, claimedOf } from "./claim.ts";
import { lookBack } from "./look-back.ts";
import { settleWith, settledOf } from "./settle.ts";

/**
 * Settles outcomes, resumes a release, makes due jobs ready and claims, in one statement whose parts run in this order.
 */
export async function exchange<Tx>(
  store: Store<Tx>,
  { outcomes, claim }: ExchangeRequest,
  options: CallOptions<Tx>,
): Promise<ExchangeReply> {
  const prepared = claim && store.claimStart.prepare(claim);
  const then =
    claim && prepared ? claimCall(claim, prepared.start) : { name: "resume_release_alone_v1", parameters: [] };
  let rows: readonly ResultRow[];
  try {
    rows = await settleWith(store, outcomes, claim?.deadlines === true ? [expireCall, then] : [then], options);
  } catch (error) {
    prepared?.failed();
    throw error;
  }
  const expired = claim?.deadlines === true ? cancelledOf(rows, firstExpired) : [];
  const { released, againInMs } = releasedOf(rows);
  const { claimed, nextDueInMs, found } = claimedOf(rows);
  const nextLookInMs = prepared?.found(found);
  if (options.tx === undefined) lookBack(store, options);
  const nextClaimInMs = claim && claimed.length < claim.limit ? nextLookInMs : undefined;
  return {
    settled: settledOf(outcomes, rows),
    released,
    claimed,
    ...(expired.length > 0 && { expired }),
    nextDueInMs: least(least(nextDueInMs, nextClaimInMs), againInMs),
  };
}

/** The number of the first chain that a deadline cancels: higher than those of outcomes. */
const firstExpired = 1_000_000_000;
const expireCall: FunctionCall = { name: "expire_chains_v1", parameters: [String(firstExpired)] };

function least(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return Math.min(left, right);
}
