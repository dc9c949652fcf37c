import type { ChainStatus } from "../../model/status.ts";
import type { Refusal, Reply, RetryReply, RetryItem } from "../../ports/state.ts";
import { allOrNothing } from "../journal.ts";
import { noConsequences, nothing, refused, toStartedJob } from "../records.ts";
import { chainStatusOf, lastOf, openBlockers } from "../rows.ts";
import type { JobRow } from "../rows.ts";
import { reblock, reopen, rivalOf } from "../reopen.ts";
import type { Store } from "../store.ts";

export function retry(store: Store, items: readonly RetryItem[], now: number): Reply<readonly RetryReply[]> {
  return allOrNothing(store, () => {
    const reopened: Reopened[] = [];
    // All of them go on before anything follows: one that failed because of another is retried like it, not in its way.
    for (const item of items) {
      const chain = reopenOne(store, item, now);
      if ("code" in chain) return refused(chain);
      reopened.push(chain);
    }
    const value = reopened.map(({ chain }) => ({
      job: toStartedJob(lastOf(chain), now),
      ...noConsequences,
      reblocked: reblock(store, chain, now),
    }));
    for (const { chain, actual } of reopened) {
      const references = brokenBlockers(chain);
      if (references.length > 0) return refused({ code: "chain-not-retryable", id: chain.id, actual, references });
    }
    return { ok: true, value };
  });
}

interface Reopened {
  readonly chain: JobRow;
  /** What it was before. */
  readonly actual: ChainStatus;
}

/** Makes a chain active again, whatever its blockers. */
function reopenOne(store: Store, { chainId: id, input, typeName }: RetryItem, now: number): Reopened | Refusal {
  const chain = store.jobs.get(id);
  if (chain === undefined || chain.chain !== undefined) return { code: "chain-not-found", id };
  const actual = chainStatusOf(chain);
  if (actual === "active" || actual === "completed") return { code: "chain-not-retryable", id, actual };
  const row = lastOf(chain);
  const actualType = row.lane.type.name;
  if (typeName !== undefined && typeName !== actualType) return { code: "job-type-mismatch", id, actual: actualType };
  const rival = rivalOf(store, chain, now);
  if (rival !== undefined) return { code: "chain-not-retryable", id, actual, references: [rival.id] };
  reopen(store, row, input, now);
  return { chain, actual };
}

/** Ids of the blockers that would fail a chain again at once: what failed or was cancelled and does not come back too. */
function brokenBlockers(chain: JobRow): readonly string[] {
  const { blocking, onBlockerFailure } = lastOf(chain);
  if (blocking === undefined || onBlockerFailure === "wait") return nothing;
  const open = openBlockers(blocking.chains);
  return open
    .filter((blocker) => chainStatusOf(blocker) !== "active")
    .map(({ id }) => id)
    .sort();
}
