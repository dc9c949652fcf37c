import type {
  Claim,
  ClaimedBlocker,
  ClaimedJob,
  ExchangeReply,
  ExchangeRequest,
  Outcome,
  SettleReply,
} from "chainwright";
import { chainIdOf } from "../schema.ts";
import type { Store } from "../store.ts";

type Exchange = (request: ExchangeRequest, now: number) => ExchangeReply;

interface Taken {
  readonly job: number;
  readonly ready_at: number;
  readonly attempt: number;
}

interface ClaimedRow {
  readonly id: string;
  readonly chain_id: string;
  readonly type: string;
  readonly step: number;
  readonly priority: number;
  readonly input: string;
  readonly errors: string | null;
  readonly created_at: number;
  readonly context: string | null;
  readonly blockers: number;
}

interface BlockerRow {
  readonly id: string;
  readonly type: string;
  readonly input: string;
  readonly output: string;
  readonly created_at: number;
  readonly chain_ended_at: number;
}

/** Above every priority. */
const beforeAll = 1_000_000;
/** Types asked one by one before it is cheaper to find out which of them have jobs at all. */
const probes = 4;
/** Due jobs promoted in one exchange, at least. */
const promotion = 500;

export function createExchange(
  store: Store,
  settle: (outcomes: readonly Outcome[], now: number) => readonly SettleReply[],
): Exchange {
  const { tables: t } = store;
  const promoteDue = store.sql(
    `update ${t.ready} set waiting = 0 where job in
       (select job from ${t.ready} where waiting = 1 and ready_at <= ? order by ready_at limit ?)`,
  );
  const nextPriority = store.sql<{ priority: number }>(
    `select priority from ${t.ready} where waiting = 0 and priority < ? order by priority desc limit 1`,
  );
  const nextType = store.sql<{ type: string }>(
    `select type from ${t.ready} where waiting = 0 and priority = ? and type > ? order by type limit 1`,
  );
  const take = store.sql<Taken>(
    `update ${t.ready} set leased_by = ?, leased_until = ?, started_at = ?, attempt = attempt + 1,
       ready_at = coalesce(leased_until, ready_at)
     where job in (
       select job from ${t.ready} where waiting = 0 and priority = ? and type = ?
         and (leased_until is null or leased_until <= ?)
       order by job limit ?)
     returning job, ready_at, attempt`,
  );
  const nextLeaseEnd = store.sql<{ until: number | null }>(
    `select min(leased_until) as until from ${t.ready} where waiting = 0 and priority = ? and type = ?`,
  );
  const anyWaiting = store.sql<{ one: number }>(`select 1 as one from ${t.ready} where waiting = 1 limit 1`);
  const nextDue = store.sql<{ due: number | null }>(
    `select min(ready_at) as due from ${t.ready} where waiting = 1 and type = ?`,
  );
  const read = store.sql<ClaimedRow>(
    `select j.id, ${chainIdOf(t)} as chain_id, j.type, j.step, j.priority, j.input, j.errors, j.created_at, j.context,
       j.blockers
     from ${t.job} j where j.seq = ?`,
  );
  const readBlockers = store.sql<BlockerRow>(
    `select c.id, c.type, c.input, e.output, c.created_at, c.chain_ended_at
     from ${t.blocker} b join ${t.job} c on c.seq = b.chain join ${t.job} e on e.seq = c.ended_job
     where b.job = ? order by b.position`,
  );

  const claimedJob = (taken: Taken, now: number): ClaimedJob => {
    const row = read.get(taken.job);
    if (row === undefined) throw new Error(`the ready job ${taken.job} is missing`);
    return {
      id: row.id,
      chainId: row.chain_id,
      typeName: row.type,
      step: row.step,
      priority: row.priority,
      input: row.input,
      attempt: taken.attempt,
      errors: row.errors ?? undefined,
      createdAt: row.created_at,
      waitedMs: Math.max(0, now - taken.ready_at),
      context: row.context ?? undefined,
      blockers: row.blockers === 0 ? [] : readBlockers.all(taken.job).map(claimedBlocker),
    };
  };

  const typesPresent = (priority: number): ReadonlySet<string> => {
    const present = new Set<string>();
    for (let type = nextType.get(priority, ""); type !== undefined; type = nextType.get(priority, type.type)) {
      present.add(type.type);
    }
    return present;
  };

  /** Claims what is ready, and answers when the leases of what was left end. */
  const claimReady = (claim: Claim, now: number, claimed: ClaimedJob[]): number => {
    let leasesEnd = Infinity;
    let next = nextPriority.get(beforeAll);
    for (; next !== undefined; next = nextPriority.get(next.priority)) {
      const { priority } = next;
      let present: ReadonlySet<string> | undefined;
      for (const [index, { typeName, leaseMs }] of claim.types.entries()) {
        if (index === probes) present = typesPresent(priority);
        if (present !== undefined && !present.has(typeName)) continue;
        const limit = claim.limit - claimed.length;
        const taken = take.all(claim.workerId, now + leaseMs, now, priority, typeName, now, limit);
        // An update answers its rows in no promised order.
        for (const job of taken.toSorted((a, b) => a.job - b.job)) claimed.push(claimedJob(job, now));
        if (claimed.length >= claim.limit) return leasesEnd;
        leasesEnd = Math.min(leasesEnd, nextLeaseEnd.get(priority, typeName)?.until ?? Infinity);
      }
    }
    return leasesEnd;
  };

  const firstDue = (claim: Claim): number => {
    if (anyWaiting.get() === undefined) return Infinity;
    return Math.min(...claim.types.map(({ typeName }) => nextDue.get(typeName)?.due ?? Infinity));
  };

  return ({ outcomes, claim }, now) => {
    const settled = settle(outcomes, now);
    const claimed: ClaimedJob[] = [];
    if (claim === undefined || claim.limit <= 0) return { settled, claimed, nextDueInMs: undefined };
    const most = Math.max(promotion, claim.limit);
    for (;;) {
      const promoted = Number(promoteDue.run(now, most).changes);
      const leasesEnd = claimReady(claim, now, claimed);
      if (claimed.length >= claim.limit) return { settled, claimed, nextDueInMs: undefined };
      // What was promoted may all have been of other types.
      if (promoted === most) continue;
      const next = Math.min(leasesEnd, firstDue(claim));
      return { settled, claimed, nextDueInMs: next === Infinity ? undefined : Math.max(0, next - now) };
    }
  };
}

function claimedBlocker(row: BlockerRow): ClaimedBlocker {
  return {
    chainId: row.id,
    typeName: row.type,
    input: row.input,
    output: row.output,
    createdAt: row.created_at,
    endedAt: row.chain_ended_at,
  };
}
