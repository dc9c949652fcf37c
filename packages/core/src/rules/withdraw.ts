import type { JobRef } from "../ports/reply.ts";
import { createBudget, createEffects, releaseEnd, type Effects } from "./end.ts";
import { nothing, refOf } from "./replies.ts";
import type { Handle, Rows } from "./rows.ts";

/*
 * What a retry of a stopped chain does with the chains that its stop has started. Once one of them has begun, the chain cannot be
 * retried: what it did is being undone. Until then they are cancelled, and what undoes the chain stays on record.
 */

/** Ids of the follow-ups that have begun: claimed once, ended, or deleted since. */
export function begunFollowUps<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  chain: Chain,
): readonly string[] {
  if (rows.ends.of(chain) === undefined) return nothing;
  return rows.ends
    .followUpsOf(chain)
    .filter(({ row }) => row === undefined || row.isClaimed || rows.chainStatusOf(row.chain) !== "active")
    .map(({ chainId }) => chainId);
}

/** Cancels the follow-ups of a chain that is active again. */
export function withdraw<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  { chain, withdrawn, now }: { readonly chain: Chain; readonly withdrawn: JobRef[]; readonly now: number },
): Effects {
  const effects = createEffects();
  if (rows.ends.of(chain) === undefined) return effects;
  const links = rows.ends.followUpsOf(chain);
  rows.ends.unlink(chain);
  rows.ends.hold(chain, undefined);
  const ended: Chain[] = [];
  for (const { row } of links) {
    if (row === undefined) continue;
    const unsaid = { output: undefined, outputVersion: undefined, errors: undefined, failedBy: undefined };
    rows.end(row.job, row.chain, { ...unsaid, status: "cancelled", reason: retried, by: "other", now });
    withdrawn.push(refOf(rows, row.job));
    ended.push(row.chain);
  }
  const call = { budget: createBudget(), now };
  for (const each of ended) releaseEnd(rows, { chain: each, status: "cancelled" }, { ...call, effects });
  return effects;
}

const retried = "the chain that it follows was retried";
