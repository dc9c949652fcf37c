import { rules, type Claim, type ClaimedJob, type ExchangeReply, type ExchangeRequest } from "chainwright/adapter";
import type { SqliteRows } from "../rows/job-row.ts";
import type { Store } from "../store.ts";
import { createClaimReady } from "./claim.ts";
import { createFirstDue } from "./first-due.ts";

type Exchange = (request: ExchangeRequest, now: number) => ExchangeReply;

/** Due jobs promoted in one exchange, at least. */
const promotion = 500;

export function createExchange(store: Store, rows: SqliteRows): Exchange {
  const claimPart = createClaimPart(store);

  return ({ outcomes, claim }, now) => {
    const settled = rules.settle(rows, outcomes, now);
    const released = rules.carryOn(rows, now);
    const { expired, nextInMs = Infinity } = claim?.deadlines === true ? rules.expireDeadlines(rows, now) : noExpiry;
    if (claim === undefined) return { settled, released, claimed: [], expired, nextDueInMs: undefined };
    const claimed: ClaimedJob[] = [];
    let next = Infinity;
    for (const part of rules.claimParts(claim)) {
      const taken = claimPart(part, now);
      for (const job of taken.claimed) claimed.push(job);
      if (taken.claimed.length < part.limit) next = Math.min(next, taken.nextAt, now + nextInMs);
    }
    return {
      settled,
      released,
      claimed,
      expired,
      nextDueInMs: next === Infinity ? undefined : Math.max(0, next - now),
    };
  };
}

interface PartTaken {
  readonly claimed: readonly ClaimedJob[];
  /** When there is something to claim next; Infinity: nothing is due, or the part was filled. */
  readonly nextAt: number;
}

const noExpiry = { expired: undefined, nextInMs: undefined };

/** Makes due jobs ready and claims. */
function createClaimPart(store: Store): (claim: Claim, now: number) => PartTaken {
  const { tables: t } = store;
  const claimReady = createClaimReady(store);
  const due = `select job from ${t.openJob} where state = 1 and due_at <= ? order by due_at limit ?`;
  // One under limits goes into its lane, see `limits/triggers.ts`.
  const promoteDue = store.sql(`update ${t.openJob} set state = iif(lane is null, 0, 3) where job in (${due})`);
  // Most lanes need nothing but the job, so that no trigger has to write: 2.2 us a job instead of 4.7. Where no job waits, it begins
  // without a turn of its lane, see `limits/inbox.ts`.
  const promoteIntoLanes = store.sql(
    `update ${t.openJob} as o set state = iif(lane is null, 0, 3), lane = case lane when 0 then coalesce((
         select case when l.state = 0 then -l.id when l.rank >= o.priority then l.id end
         from ${t.job} j join ${t.lane} l on l.name = o.type_name and l.limits = j.limits
         where j.seq = o.job and l.weight = coalesce(j.weight, 1)), 0) else lane end
     where job in (${due})`,
  );
  // Nearly always no lane is there: one probe saves the four statements of a claim that looks for limited jobs.
  const waiting = store.sql<{ found: number }>(
    `select exists (select 1 from ${t.lane} where state = 1) or exists (select 1 from ${t.lane} where state = 2)
       or exists (select 1 from ${t.openJob} where state = 3 and lane < 0) as found`,
  );
  const firstDueOf = createFirstDue(store);

  return (claim, now) => {
    const claimed: ClaimedJob[] = [];
    if (claim.limit <= 0) return { claimed, nextAt: Infinity };
    const most = Math.max(promotion, claim.limit);
    let isLimited = claim.limited === true;
    const promote = isLimited ? promoteIntoLanes : promoteDue;
    for (;;) {
      const promoted = Number(promote.run(now, most).changes);
      isLimited ||= promoted > 0 && waiting.get()?.found === 1;
      const { types, nextAt } = claimReady({ claim, now, claimed, isLimited });
      if (claimed.length >= claim.limit) return { claimed, nextAt: Infinity };
      // All promoted jobs may have been of other types.
      if (promoted < most) return { claimed, nextAt: Math.min(nextAt, firstDueOf(types)) };
    }
  };
}
