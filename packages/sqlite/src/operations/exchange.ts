import { rules, type ClaimedJob, type ExchangeReply, type ExchangeRequest } from "chainwright/adapter";
import type { SqliteRows } from "../rows/job-row.ts";
import type { Store } from "../store.ts";
import { createClaimReady } from "./claim.ts";
import { createFirstDue } from "./first-due.ts";

type Exchange = (request: ExchangeRequest, now: number) => ExchangeReply;

/** Due jobs promoted in one exchange, at least. */
const promotion = 500;

export function createExchange(store: Store, rows: SqliteRows): Exchange {
  const { tables: t } = store;
  const claimReady = createClaimReady(store);
  const promoteDue = store.sql(
    `update ${t.openJob} set state = 0 where job in
       (select job from ${t.openJob} where state = 1 and due_at <= ? order by due_at limit ?)`,
  );
  const firstDueOf = createFirstDue(store);

  return ({ outcomes, claim }, now) => {
    const settled = rules.settle(rows, outcomes, now);
    const released = rules.carryOn(rows, now);
    const claimed: ClaimedJob[] = [];
    const filled = { settled, released, claimed, nextDueInMs: undefined };
    if (claim === undefined || claim.limit <= 0) return filled;
    const most = Math.max(promotion, claim.limit);
    for (;;) {
      const promoted = Number(promoteDue.run(now, most).changes);
      const { types, nextAt } = claimReady(claim, now, claimed);
      if (claimed.length >= claim.limit) return filled;
      // All promoted jobs may have been of other types.
      if (promoted === most) continue;
      const next = Math.min(nextAt, firstDueOf(types));
      return { ...filled, nextDueInMs: next === Infinity ? undefined : Math.max(0, next - now) };
    }
  };
}
