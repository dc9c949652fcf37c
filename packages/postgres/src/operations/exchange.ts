import {
  claimName,
  rules,
  type CallOptions,
  type Claim,
  type ExchangeReply,
  type ExchangeRequest,
} from "chainwright/adapter";
import type { ClaimFound } from "../claim-found.ts";
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
  const parts = claim === undefined ? [] : rules.claimParts(claim);
  const shared = parts.find(isShared);
  const prepared = shared && store.claimStart.prepare(shared);
  let rows: readonly ResultRow[];
  try {
    rows = await settleWith(store, outcomes, callsAfter(claim, parts, prepared?.start ?? null), options);
  } catch (error) {
    prepared?.failed();
    throw error;
  }
  const expired = claim?.deadlines === true ? cancelledOf(rows, firstExpired) : [];
  const { released, againInMs } = releasedOf(rows);
  const { claimed, nextDueInMs, found } = claimedOf(rows);
  const nextLookInMs = prepared?.found(parts.length === 1 || prepared.start !== null ? found : foundBy(shared, found));
  if (options.tx === undefined) lookBack(store, options);
  const isFilled =
    shared === undefined || (parts.length === 1 ? claimed.length : countOf(claimed, shared)) >= shared.limit;
  const nextClaimInMs = isFilled ? undefined : nextLookInMs;
  return {
    settled: settledOf(outcomes, rows),
    released,
    claimed,
    ...(expired.length > 0 && { expired }),
    nextDueInMs: least(least(nextDueInMs, nextClaimInMs), againInMs),
  };
}

/** The calls of an exchange after its outcomes. Each part of the claim is a call of its own in the same statement. */
function callsAfter(claim: Claim | undefined, parts: readonly Claim[], start: string | null): readonly FunctionCall[] {
  if (claim === undefined) return [resumeCall];
  const claims = parts.map((part) => claimCall(part, isShared(part) ? start : null));
  return claim.deadlines === true ? [expireCall, ...claims] : claims;
}

/**
 * Whether it is the part of the types without a limit of their own. Only for this part it is remembered where claims begin to look: the
 * other ones claim a whole batch at a time, and look from the beginning.
 */
function isShared({ types }: Claim): boolean {
  return types.every(({ limit }) => limit === undefined);
}

/**
 * What the last part of several found, if it looked from the beginning: otherwise it reports always. If it may be what another part
 * found, nothing is known.
 */
function foundBy(part: Claim | undefined, found: ClaimFound | undefined): ClaimFound | undefined {
  const names = new Set(part?.types.map(claimName));
  const isOwn = found !== undefined && found.places.length > 0 && found.places.every(([, name]) => names.has(name));
  return isOwn ? found : undefined;
}

function countOf(claimed: ExchangeReply["claimed"], { types }: Claim): number {
  const names = new Set(types.map(({ typeName }) => typeName));
  return claimed.filter(({ typeName }) => names.has(typeName)).length;
}

const resumeCall: FunctionCall = { name: "resume_release_alone_v1", parameters: [] };
/** The number of the first chain that a deadline cancels: higher than those of outcomes. */
const firstExpired = 1_000_000_000;
const expireCall: FunctionCall = { name: "expire_chains_v1", parameters: [String(firstExpired)] };

function least(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return Math.min(left, right);
}
