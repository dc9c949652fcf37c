import type { CancelItem, CancelReply, Reply } from "../../ports/state.ts";
import { createBudget, followEnd } from "../chain-end.ts";
import { refused, toJobRef } from "../records.ts";
import { chainStatusOf, lastOf, statusAt } from "../rows.ts";
import type { JobRow } from "../rows.ts";
import { enter, leave } from "../store.ts";
import type { Store } from "../store.ts";
import { setReason } from "../write-job.ts";

export function cancel(store: Store, items: readonly CancelItem[], now: number): Reply<readonly CancelReply[]> {
  const reasons = new Map<JobRow, string | undefined>();
  for (const { chainId: id, reason } of items) {
    const chain = store.jobs.get(id);
    if (chain === undefined || chain.chain !== undefined) return refused({ code: "chain-not-found", id });
    const actual = reasons.has(chain) ? "cancelled" : chainStatusOf(chain);
    if (actual !== "active") return refused({ code: "chain-not-active", id, actual });
    reasons.set(chain, reason);
  }
  // All of them end before anything follows: one that waits for another is cancelled like it, not failed by it.
  const interrupted: (string | undefined)[] = [];
  for (const [chain, reason] of reasons) {
    const row = lastOf(chain);
    interrupted.push(statusAt(row, now) === "running" ? row.lease?.workerId : undefined);
    setReason(store, chain, reason);
    end(store, row, now);
  }
  const budget = createBudget();
  const value = [...reasons.keys()].map((chain, at) => ({
    ...toJobRef(lastOf(chain)),
    ...followEnd(store, chain, budget, now),
    interrupted: interrupted[at],
  }));
  return { ok: true, value };
}

function end(store: Store, row: JobRow, now: number): void {
  leave(store, row);
  row.status = "cancelled";
  row.lease = undefined;
  row.endedAt = now;
  enter(store, row);
}
