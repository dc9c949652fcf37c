import { claimName, type ClaimType } from "chainwright/adapter";
import { presentNames } from "../claim-names.ts";
import { createClaimLimited } from "../limits/claim-limited.ts";
import type { Store } from "../store.ts";
import { createListPauses } from "./list-pauses.ts";
import { createReadClaimed, type Claiming, type Taken } from "./read-claimed.ts";

/**
 * Claims ready jobs: higher priorities first, then the types in the given order, then first in first out. Reads only the rows
 * that it claims or that others hold, and each type once, so other types and priorities without jobs cost nothing. Adds to
 * `claimed`.
 */
type ClaimReady = (request: ClaimRequest) => Looked;

interface ClaimRequest extends Claiming {
  /** Whether it looks for jobs under limits too. */
  readonly isLimited: boolean;
}

/** What a claim looked at. */
interface Looked {
  /** The types that are not paused. */
  readonly types: readonly ClaimType[];
  /** When the first lease of the jobs that it did not claim expires, or the first pause of one of the types ends by itself. */
  readonly nextAt: number;
}

/** Types that are queried one by one. For more it is cheaper to query all in one statement that returns one JSON text. */
const probes = 4;

/** Beyond this many names the claim looks up those that have jobs: a worker may handle many types in versions and pools. */
const manyNames = 64;

/** Above every priority. */
const beforeAll = 1_000_000;

function statementsOf({ tables: t, sql }: Store) {
  const isFree = "(leased_until is null or leased_until <= ?)";
  const ofAll = (select: string) => `select json_group_array((${select})) as found from json_each(?) asked`;
  const first = (type: string) =>
    `select priority from ${t.openJob} where state = 0 and type_name = ${type} order by priority desc limit 1`;
  const next = (type: string) =>
    `select priority from ${t.openJob} where state = 0 and type_name = ${type} and priority < ? and ${isFree}
       order by priority desc limit 1`;
  const leaseEnd = (type: string) =>
    `select min(leased_until) from ${t.openJob} where state = 0 and type_name = ${type}`;
  // A job with an expired lease has waited since the expiry.
  const lease = `update ${t.openJob} set leased_by = ?, leased_until = ?, started_at = ?, attempt = attempt + 1,
         fence = fence + 1, due_at = coalesce(leased_until, due_at)`;
  const taken = "returning job, due_at, attempt, fence";
  // The table of pauses is nearly always empty, and a claim asks it with the first look.
  const isPaused = `exists (select 1 from ${t.pause}) as paused`;
  return {
    // Does not check leases: most often no one holds the job, and the index has everything else.
    firstOfClaim: sql<Found & MaybePaused>(`select (${first("?")}) as found, ${isPaused}`),
    first: sql<Found>(`select (${first("?")}) as found`),
    firstOfAll: sql<FoundOfAll & MaybePaused>(`select *, ${isPaused} from (${ofAll(first("asked.value"))})`),
    firstOfPresent: sql<FoundOfAll & MaybePaused>(
      `${presentNames(t)}
       select json_group_array(json_array(name, (${first("present.name")}))) as found, ${isPaused} from present where name is not null`,
    ),
    next: sql<Found>(`select (${next("?")}) as found`),
    nextOfAll: sql<FoundOfAll>(ofAll(next("asked.value"))),
    leaseEnd: sql<Found>(`select (${leaseEnd("?")}) as found`),
    leaseEndOfAll: sql<FoundOfAll>(ofAll(leaseEnd("asked.value"))),
    takeOldest: sql<Taken>(
      `${lease}
       where job in (
         select job from ${t.openJob} where state = 0 and type_name = ? and priority = ? and ${isFree} order by job limit ?)
       ${taken}`,
    ),
    // Type by type: a cross join reads its tables in the order in which they are written.
    pick: sql<{ n: number; job: number }>(
      `select asked.key as n, o.job as job from json_each(?) asked
       cross join ${t.openJob} o on o.state = 0 and o.type_name = asked.value and o.priority = ? and ${isFree}
       limit ?`,
    ),
    take: sql<Taken>(`${lease} where job in (select value from json_each(?)) ${taken}`),
  };
}

interface Found {
  readonly found: number | null;
}

/** The JSON with the jobs that were found for each type. */
interface FoundOfAll {
  readonly found: string;
}

interface MaybePaused {
  readonly paused: number;
}

/** A type that has jobs, and the highest priority at which the claim has not taken them yet. */
interface Asked {
  readonly type: ClaimType;
  priority: number | null;
}

/** The first look of a claim: finds for each type the highest priority that is present. */
function createFirsts({ firstOfClaim, first, firstOfAll, firstOfPresent }: ReturnType<typeof statementsOf>) {
  const ofPresent = (types: readonly ClaimType[]): First => {
    const row = firstOfPresent.get();
    const found = new Map(JSON.parse(row?.found ?? "[]") as [string, number][]);
    return { found: types.map((type) => found.get(claimName(type)) ?? null), isPaused: row?.paused === 1 };
  };
  const ofAll = (types: readonly ClaimType[]): First => {
    const row = firstOfAll.get(namesOf(types));
    return { found: findingsOf(row), isPaused: row?.paused === 1 };
  };
  const oneByOne = ([type, ...others]: readonly ClaimType[]): First => {
    const row = type && firstOfClaim.get(claimName(type));
    const found = others.map((other) => first.get(claimName(other))?.found ?? null);
    return { found: [row?.found ?? null, ...found], isPaused: row?.paused === 1 };
  };
  return (types: readonly ClaimType[]): First => {
    if (types.length > manyNames) return ofPresent(types);
    return types.length > probes ? ofAll(types) : oneByOne(types);
  };
}

export function createClaimReady(store: Store): ClaimReady {
  const statements = statementsOf(store);
  const { next, nextOfAll, leaseEnd, leaseEndOfAll } = statements;
  const firsts = createFirsts(statements);
  const take = createTake(store, statements);
  const listPauses = createListPauses(store);

  const nexts = (types: readonly ClaimType[], below: number, now: number): Findings =>
    types.length > probes
      ? findingsOf(nextOfAll.get(below, now, namesOf(types)))
      : types.map((type) => next.get(claimName(type), below, now)?.found ?? null);
  const leaseEnds = (types: readonly ClaimType[]): Findings =>
    types.length > probes
      ? findingsOf(leaseEndOfAll.get(namesOf(types)))
      : types.map((type) => leaseEnd.get(claimName(type))?.found ?? null);

  const claimLimited = createClaimLimited(store);
  // Of jobs with the same priority, those under limits and the others go first in turn.
  let isLimitedFirst = false;

  return ({ claim, now, claimed, isLimited }) => {
    const { found, isPaused } = firsts(claim.types);
    const pauses = new Map(isPaused ? listPauses(now).map((pause) => [pause.typeName, pause]) : undefined);
    const types = isPaused ? claim.types.filter(({ typeName }) => !pauses.has(typeName)) : claim.types;
    const lanes = isLimited ? claimLimited({ claim, types, now, claimed }) : undefined;
    if (isLimited) isLimitedFirst = !isLimitedFirst;
    const asked: readonly Asked[] = claim.types.flatMap((type, n) => {
      const priority = found[n] ?? null;
      return priority === null || pauses.has(type.typeName) ? [] : [{ type, priority }];
    });
    let isFirst = true;
    for (let priority = highestOf(asked); priority !== null; priority = highestOf(asked)) {
      const present = asked.filter((each) => each.priority === priority);
      lanes?.take(isLimitedFirst ? priority : priority + 1);
      if (claimed.length < claim.limit) take({ claim, now, claimed }, priority, typesOf(present));
      if (claimed.length >= claim.limit) return { types: claim.types, nextAt: Infinity };
      // From here on it checks who holds the jobs, so it has to query all types again.
      const stale = isFirst ? asked : present;
      const left = nexts(typesOf(stale), priority, now);
      for (const [n, each] of stale.entries()) each.priority = left[n] ?? null;
      isFirst = false;
    }
    lanes?.take(-beforeAll);
    lanes?.takeAhead();
    if (claimed.length >= claim.limit) return { types: claim.types, nextAt: Infinity };
    const pauseEnds = isPaused ? claim.types.map(({ typeName }) => pauses.get(typeName)?.until ?? Infinity) : [];
    const nextAt = Math.min(...leaseEnds(typesOf(asked)).map((until) => until ?? Infinity), ...pauseEnds, Infinity);
    return { types, nextAt: lanes === undefined ? nextAt : Math.min(nextAt, lanes.nextAt()) };
  };
}

/** What the first look found. */
interface First {
  readonly found: Findings;
  /** Whether any type is paused, or was. */
  readonly isPaused: boolean;
}

/** By type; null if there is none. */
type Findings = readonly (number | null)[];

function findingsOf(row: FoundOfAll | undefined): Findings {
  return JSON.parse(row?.found ?? "[]") as Findings;
}

type Take = (round: Claiming, priority: number, types: readonly ClaimType[]) => void;

/** Claims jobs of one priority, of one type or of several. */
function createTake(store: Store, { takeOldest, pick, take }: ReturnType<typeof statementsOf>): Take {
  const readClaimed = createReadClaimed(store);

  const takeOfOne = ({ claim, now, claimed }: Claiming, priority: number, type: ClaimType): void => {
    const { leaseMs } = type;
    const limit = claim.limit - claimed.length;
    const taken = takeOldest.all(claim.workerId, now + leaseMs, now, claimName(type), priority, now, limit);
    // An update returns its rows in no defined order.
    for (const job of taken.toSorted((a, b) => a.job - b.job)) claimed.push(readClaimed(job, type, now));
  };
  const takeOfSeveral = ({ claim, now, claimed }: Claiming, priority: number, types: readonly ClaimType[]): void => {
    const picked = pick.all(namesOf(types), priority, now, claim.limit - claimed.length);
    const taken = new Map<number, Taken>();
    for (const [leaseMs, jobs] of Map.groupBy(picked, ({ n }) => types[n]?.leaseMs ?? 0)) {
      const ids = JSON.stringify(jobs.map(({ job }) => job));
      for (const row of take.all(claim.workerId, now + leaseMs, now, ids)) taken.set(row.job, row);
    }
    for (const { n, job } of picked.toSorted((left, right) => left.n - right.n || left.job - right.job)) {
      const [row, type] = [taken.get(job), types[n]];
      if (row !== undefined && type !== undefined) claimed.push(readClaimed(row, type, now));
    }
  };

  return (round, priority, types) => {
    const [only, ...others] = types;
    if (only !== undefined && others.length === 0) takeOfOne(round, priority, only);
    else takeOfSeveral(round, priority, types);
  };
}

function namesOf(types: readonly ClaimType[]): string {
  return JSON.stringify(types.map(claimName));
}

function typesOf(asked: readonly Asked[]): readonly ClaimType[] {
  return asked.map(({ type }) => type);
}

function highestOf(asked: readonly Asked[]): number | null {
  return asked.reduce<number | null>(
    (highest, { priority }) => (priority !== null && priority > (highest ?? -beforeAll) ? priority : highest),
    null,
  );
}
