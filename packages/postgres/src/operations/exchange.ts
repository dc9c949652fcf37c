import type { CallOptions, ExchangeReply, ExchangeRequest } from "chainwright";
import { factOf } from "../facts.ts";
import { callAll } from "../store.ts";
import type { Store } from "../store.ts";
import { claimCall, claimedOf } from "./claim.ts";
import { settleCall, settledOf } from "./settle.ts";

/** Settles outcomes, then promotes due jobs and claims, in one statement: its parts run in the order in which they stand. */
export async function exchange<Tx>(
  store: Store<Tx>,
  { outcomes, claim }: ExchangeRequest,
  options: CallOptions<Tx>,
): Promise<ExchangeReply> {
  const calls = [...(outcomes.length > 0 ? [settleCall(outcomes)] : []), ...(claim === undefined ? [] : [claimCall(claim)])];
  if (calls.length === 0) return { settled: [], claimed: [], nextDueInMs: undefined };
  const facts = (await callAll(store, calls, options)).map(factOf);
  return { settled: settledOf(outcomes, facts), ...claimedOf(facts) };
}
