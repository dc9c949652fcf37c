import type { CallOptions, ExchangeReply, ExchangeRequest } from "chainwright";
import type { PostgresRow } from "../driver.ts";
import { factOf } from "../facts.ts";
import { callAll } from "../store.ts";
import type { Store } from "../store.ts";
import { claimCall, claimedOf } from "./claim.ts";
import { settle, settleCall, settledOf } from "./settle.ts";

/** Settles outcomes, then promotes due jobs and claims, in one statement: its parts run in the order in which they stand. */
export async function exchange<Tx>(
  store: Store<Tx>,
  { outcomes, claim }: ExchangeRequest,
  options: CallOptions<Tx>,
): Promise<ExchangeReply> {
  const settling = outcomes.length > 0 ? [settleCall(outcomes)] : [];
  if (claim === undefined)
    return { settled: await settle(store, outcomes, options), claimed: [], nextDueInMs: undefined };
  const look = store.front.look(claim);
  let rows: readonly PostgresRow[];
  try {
    rows = await callAll(store, [...settling, claimCall(claim, look.from)], options);
  } catch (error) {
    look.failed();
    throw error;
  }
  const facts = rows.map(factOf);
  const { claimed, nextDueInMs, found } = claimedOf(facts);
  look.found(found);
  const nextLookInMs = claimed.length < claim.limit ? look.nextInMs : undefined;
  return { settled: settledOf(outcomes, facts), claimed, nextDueInMs: least(nextDueInMs, nextLookInMs) };
}

function least(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return Math.min(left, right);
}
