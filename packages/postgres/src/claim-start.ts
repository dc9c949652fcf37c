import { claimName, type Claim } from "chainwright/adapter";
import type { ClaimFound, FirstRow, Seen } from "./claim-found.ts";
import { createNamedTypes } from "./named-types.ts";
import { createOpenClaims } from "./open-claims.ts";
import { createSettled, lateMs, type Settled } from "./settled.ts";

/** Remembers where claims found their first rows, so that the next ones need not skip again what no one can claim. */
export interface ClaimStart {
  /** Called before each claim. */
  prepare(claim: Claim): PreparedClaim;
  /** Returns the look from the beginning that is due, if it is one that no claim should wait for. */
  beginLook(): Look | undefined;
  /** Called with the ids of jobs that a call of this process made ready: their positions may be before the remembered places. */
  noteReturned(jobIds: readonly string[]): void;
}

export interface PreparedClaim {
  /** The parameter `p_start` of `claim_v1`: null to look from the beginning. */
  readonly start: string | null;
  /**
   * Called with what the claim found; undefined if it had to skip few rows. Returns the milliseconds until a claim is due that looks
   * from the beginning; undefined if this one did and reported when the next job is due.
   */
  found(found: ClaimFound | undefined): number | undefined;
  /** Called if the claim failed: the next one looks from the beginning, because it may reach another server. */
  failed(): void;
}

/** A look from the beginning beside the claims, by `look_back_v1`. */
export interface Look {
  /** The parameter `p_places`: what claims do not look at. */
  readonly places: string;
  ended(seen: Seen): void;
  failed(): void;
}

/**
 * A claim looks from the beginning again after at least half a second and at most half a minute, and within that so seldom that the
 * looks of all workers together take a twentieth of the time. Jobs that return to earlier positions unknown to this process (from a
 * worker that died, from a transaction that took long, by a call of another process) wait that long at most. As long as claims skip few
 * rows, all of them look from the beginning.
 */
const [leastPauseMs, mostPauseMs, pauseFactor] = [500, 30_000, 20];

/**
 * With so many dead rows no claim looks from the beginning any more. With 2,000,000 of them such a claim took a second on an idle
 * machine and 12 seconds on a busy one, while all others waited. A look beside the claims reads the table instead of its indexes,
 * which takes a tenth of the time.
 */
const manyDead = 20_000;

/** How often an idle worker tries to claim while a look is under way. */
const duringLookMs = 200;

/** How many returned jobs one claim looks for, and how many are remembered at most. */
const [returnedPerClaim, mostReturned] = [500, 10_000];

export function createClaimStart(): ClaimStart {
  let remembered: Remembered | undefined;
  const named = createNamedTypes();
  const openClaims = createOpenClaims();
  return {
    prepare: (claim) => {
      // While a type was paused its worker did not name it, and looks from the beginning looked for the other types only.
      if (named.hasReturned(claim) && remembered !== undefined) remembered.until = -Infinity;
      const isKnown = remembered !== undefined && (performance.now() < remembered.until || remembered.dead >= manyDead);
      const known = isKnown ? remembered : undefined;
      const returned = known === undefined ? [] : [...known.returned].slice(0, returnedPerClaim);
      const open = openClaims.begin();
      return {
        start: known === undefined ? null : startOf(known, claim, returned),
        found: (result) => {
          const found = result && { ...result, inbox: open.end(result.inbox) };
          if (found === undefined) open.endWithout();
          if (known !== undefined && (found === undefined || found.server === known.server)) {
            for (const id of returned) known.returned.delete(id);
            if (found !== undefined) {
              note(known, claim, found);
              known.settled.note(found);
            }
          } else {
            remembered = found && rememberAfresh(found, claim, remembered);
          }
          return remembered && nextLookInMs(remembered);
        },
        failed: () => {
          open.endWithout();
          remembered = undefined;
        },
      };
    },
    beginLook: () => {
      const known = remembered;
      if (known === undefined || known.isLooking || known.dead < manyDead || performance.now() < known.until) {
        return undefined;
      }
      known.isLooking = true;
      const open = openClaims.begin();
      return {
        places: placesOf(known),
        ended: (seen) => {
          const inbox = open.end(Infinity);
          if (remembered !== known) return;
          remembered = seen.server === known.server ? rememberSeen(known, seen, inbox) : undefined;
        },
        failed: () => {
          open.endWithout();
          known.isLooking = false;
          known.until = performance.now() + leastPauseMs;
        },
      };
    },
    noteReturned: (jobIds) => {
      if (remembered !== undefined) addReturned(remembered, jobIds);
    },
  };
}

/** The rank of priority 0, which most jobs have. */
export const plainRank = -1;

/** When to look from the beginning again after a look that took all workers together so long. */
function nextLook(tookMs: number): number {
  return performance.now() + Math.min(mostPauseMs, Math.max(leastPauseMs, pauseFactor * tookMs));
}

/** In how many milliseconds an idle worker claims again to look from the beginning, or to see what a look beside the claims found. */
function nextLookInMs({ until, isLooking }: Remembered): number {
  return isLooking ? duringLookMs : Math.max(duringLookMs, until - performance.now());
}

interface Remembered {
  readonly server: string;
  /** Where types begin whose first row is not known: the claim that looked from the beginning found none of them before it. */
  readonly from: number;
  readonly first: Map<string, FirstRow>;
  /** Kept when a claim looks from the beginning, because each rank that a claim does not know costs it all rows of that rank. */
  readonly ranks: Set<number>;
  /** Kept as long as the server is the same. */
  readonly settled: Settled;
  /** By claim name, see `ClaimFound`. */
  readonly due: Map<string, number>;
  readonly returned: Set<string>;
  /** See `ClaimFound`. */
  released: number;
  /** By claim name, see `ClaimFound`. */
  readonly inbox: Map<string, number>;
  /** When a claim, or a look beside the claims, looks from the beginning again. */
  until: number;
  dead: number;
  isLooking: boolean;
}

function rememberAfresh(found: ClaimFound, claim: Claim, last: Remembered | undefined): Remembered {
  const { server, places, newest, dead, tookMs } = found;
  const same = last?.server === server ? last : undefined;
  const remembered = {
    server,
    settled: same?.settled ?? createSettled(),
    from: Math.min(newest, ...places.map(([, , position]) => position)),
    first: new Map(),
    ranks: same?.ranks ?? new Set([plainRank]),
    due: new Map(),
    returned: new Set<string>(),
    released: 0,
    inbox: new Map<string, number>(),
    until: nextLook(tookMs),
    dead,
    isLooking: false,
  };
  note(remembered, claim, found);
  return remembered;
}

/**
 * Claims may have moved a place since the look began, and found the inbox as `inboxSince` says. Where the look found no row, there is none
 * before the newest position.
 */
function rememberSeen(known: Remembered, seen: Seen, inboxSince: number): Remembered {
  const { server, newest, now, released, dead, ready, scheduled, tookMs } = seen;
  const firstInInbox = new Map(seen.inbox);
  const inbox = new Map(
    [...known.inbox.keys()].map((type) => [type, Math.min(firstInInbox.get(type) ?? newest, inboxSince)]),
  );
  const first = new Map([...known.first].filter(([, [, , position]]) => position > newest));
  const firstDue = new Map(scheduled);
  const due = new Map(
    [...known.due.keys()].map((type) => [type, Math.min(firstDue.get(type) ?? Infinity, now - lateMs)]),
  );
  const until = nextLook(tookMs);
  const remembered: Remembered = {
    ...known,
    server,
    from: newest,
    first,
    due,
    released,
    inbox,
    until,
    dead,
    isLooking: false,
  };
  for (const [rank, name, position, before] of ready) {
    const key = keyOf([rank, name, 0]);
    const place = Math.max(position ?? newest, known.first.get(key)?.[2] ?? 0);
    remembered.ranks.add(rank);
    first.set(key, [rank, name, place]);
    addReturned(remembered, before);
  }
  return remembered;
}

/** As JSON: the types that were claimed, `from`, and the places by rank and type. */
function placesOf({ from, first, due, settled }: Remembered): string {
  const places: Record<string, Record<string, number>> = {};
  for (const [rank, name, position] of first.values()) (places[rank] ??= {})[name] = settled.beginningAt(position);
  return JSON.stringify({ types: [...due.keys()], from: settled.beginningAt(from), places });
}

function note(remembered: Remembered, { types }: Claim, found: ClaimFound): void {
  const { first, ranks, due, inbox } = remembered;
  for (const row of found.places) {
    first.set(keyOf(row), row);
    ranks.add(row[0]);
  }
  for (const rank of found.ranks) ranks.add(rank);
  for (const type of types) due.set(claimName(type), found.due);
  for (const type of types) inbox.set(claimName(type), found.inbox);
  addReturned(remembered, found.returned);
  remembered.released = found.released;
  remembered.dead = found.dead;
}

function addReturned({ returned }: Remembered, jobIds: readonly string[]): void {
  for (const id of jobIds.slice(0, mostReturned - returned.size)) returned.add(id);
}

function keyOf([rank, name]: FirstRow): string {
  return `${rank} ${name}`;
}

function startOf(remembered: Remembered, { types }: Claim, returned: readonly string[]): string {
  const { server, from, first, ranks, due, released, inbox, settled } = remembered;
  const names = types.map(claimName);
  const placesAt = (rank: number) =>
    names.map((name) => settled.beginningAt(first.get(keyOf([rank, name, 0]))?.[2] ?? from));
  const dues = names.flatMap((name) => due.get(name) ?? []);
  return JSON.stringify({
    server,
    from: settled.beginningAt(from),
    ranks: Object.fromEntries([...ranks].map((rank) => [rank, placesAt(rank)])),
    due: dues.length === types.length ? settled.dueFrom(Math.min(...dues)) : undefined,
    returned,
    released: settled.beginningAt(released),
    inbox: settled.beginningAt(Math.min(...names.map((name) => inbox.get(name) ?? 0))),
  });
}
