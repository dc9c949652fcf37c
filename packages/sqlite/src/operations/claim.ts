import type { Claim, ClaimedJob } from "chainwright";
import type { Store } from "../store.ts";
import { createReadClaimed } from "./read-claimed.ts";
import type { Taken } from "./read-claimed.ts";

/**
 * Claims what is ready: higher priorities first, then the types in the order given, then first in first out. Looks at no
 * more rows than it takes and others hold. Adds to `claimed`; answers when the first lease of what was left ends.
 */
type ClaimReady = (claim: Claim, now: number, claimed: ClaimedJob[]) => number;

/** Above every priority. */
const beforeAll = 1_000_000;
/** Types asked one by one before it is cheaper to find out which of them have jobs at all. */
const probes = 4;

function statementsOf({ tables: t, sql }: Store) {
  return {
    nextPriority: sql<{ priority: number }>(
      `select priority from ${t.ready} where waiting = 0 and priority < ? order by priority desc limit 1`,
    ),
    nextType: sql<{ type: string }>(
      `select type from ${t.ready} where waiting = 0 and priority = ? and type > ? order by type limit 1`,
    ),
    // A job whose lease ran out has waited since then.
    take: sql<Taken>(
      `update ${t.ready} set leased_by = ?, leased_until = ?, started_at = ?, attempt = attempt + 1,
         fence = fence + 1, ready_at = coalesce(leased_until, ready_at)
       where job in (
         select job from ${t.ready} where waiting = 0 and priority = ? and type = ?
           and (leased_until is null or leased_until <= ?)
         order by job limit ?)
       returning job, ready_at, attempt, fence`,
    ),
    leaseEnd: sql<{ until: number | null }>(
      `select min(leased_until) as until from ${t.ready} where waiting = 0 and priority = ? and type = ?`,
    ),
  };
}

export function createClaimReady(store: Store): ClaimReady {
  const { nextPriority, nextType, take, leaseEnd } = statementsOf(store);
  const readClaimed = createReadClaimed(store);

  const typesPresent = (priority: number): ReadonlySet<string> => {
    const present = new Set<string>();
    for (let type = nextType.get(priority, ""); type !== undefined; type = nextType.get(priority, type.type)) {
      present.add(type.type);
    }
    return present;
  };

  return (claim, now, claimed) => {
    let leasesEnd = Infinity;
    for (let next = nextPriority.get(beforeAll); next !== undefined; next = nextPriority.get(next.priority)) {
      const { priority } = next;
      let present: ReadonlySet<string> | undefined;
      for (const [index, { typeName, leaseMs }] of claim.types.entries()) {
        if (index === probes) present = typesPresent(priority);
        if (present !== undefined && !present.has(typeName)) continue;
        const limit = claim.limit - claimed.length;
        const taken = take.all(claim.workerId, now + leaseMs, now, priority, typeName, now, limit);
        // An update answers its rows in no promised order.
        for (const job of taken.toSorted((a, b) => a.job - b.job)) claimed.push(readClaimed(job, now));
        if (claimed.length >= claim.limit) return leasesEnd;
        leasesEnd = Math.min(leasesEnd, leaseEnd.get(priority, typeName)?.until ?? Infinity);
      }
    }
    return leasesEnd;
  };
}
