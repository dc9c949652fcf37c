import { claimName, type ClaimType } from "chainwright/adapter";
import type { Store } from "../store.ts";
import { createGates, hasRoomAhead, hasRoomAtOnce, type Gates } from "./gates.ts";
import { namesFrom, type WaitingJob, type laneStatementsOf } from "./lane-statements.ts";
import { createLease, type Beginning, type Round } from "./lease-limited.ts";
import { keepsPlaces } from "./stored-limits.ts";

/**
 * The inbox has the ready jobs in whose lane no job waits: rows in state 3 with the negative id of their lane. Where all gates of such a
 * job have room, it begins without a turn of its lane, and the claim writes neither the lane nor where the job waits in it.
 *
 * The first job of a key in the inbox has the turn of its lane, behind the open ones. When it begins, the others of its key go into the lane,
 * and so does one that may not begin. So keys take turns, and the jobs of a lane begin in their order: as soon as a job waits in a lane,
 * a trigger puts those of the inbox into it, see `triggers.ts`.
 */
export interface Inbox {
  /** The highest priority in it among the types; -Infinity if it has none of their jobs. */
  highest(types: Round["types"]): number;
  /** Begins jobs of this priority, of all priorities if they are claimed ahead. Puts others into their lanes. */
  take(most: number, priority: number, round: Round): Taken;
  /** Puts the first jobs into their lanes. Returns how many. */
  putIntoLanes(most: number, priority: number, round: Round): number;
  /** Puts many jobs into their lanes if the first one has been ready for a second. Returns whether it did. */
  putOldIntoLanes(priority: number, round: Round): boolean;
}

export interface Taken {
  /** How many jobs began. */
  readonly begun: number;
  /** The lanes of those that began. */
  readonly lanes: readonly number[];
  /** How many went into their lanes. */
  readonly put: number;
}

interface InboxJob extends WaitingJob {
  readonly lane: number;
  /** Null: the lane is missing. */
  readonly limits: string | null;
}

/** A claim looks at so many jobs more than it can take: a key that has several there gets a lane, so that others get their turns. */
const lookahead = 16;
/**
 * The keys of a backlog that has been there for so long take turns, however many they are: otherwise one that comes later would wait for
 * all jobs that are there. As many jobs go into their lanes at once.
 */
const [longestMs, mostAtOnce] = [1_000, 500];

function statementsOf({ tables: t, sql }: Store) {
  const nextName = (after: string) =>
    `(select type_name from ${t.openJob} where state = 3 and lane < 0 and type_name > ${after} order by type_name limit 1)`;
  return {
    /** The claim names that have jobs there, and the highest priority of each. */
    tops: sql<{ name: string; priority: number }>(
      `${namesFrom(nextName)} select name, (select priority from ${t.openJob}
         where state = 3 and lane < 0 and type_name = present.name order by priority desc limit 1) as priority
       from present where name is not null`,
    ),
    jobs: sql<InboxJob>(
      `select o.job, o.due_at, o.attempt, o.fence, o.priority, -o.lane as lane, l.limits
       from ${t.openJob} o left join ${t.lane} l on l.id = -o.lane
       where o.state = 3 and o.lane < 0 and o.type_name = ? and o.priority <= ? order by o.priority desc, o.job limit ?`,
    ),
    /** A trigger puts them there. */
    putIntoLanes: sql(`update ${t.openJob} set state = 3, lane = 0 where job in (select value from json_each(?))`),
  };
}

export function createInbox(store: Store, laneStatements: ReturnType<typeof laneStatementsOf>): Inbox {
  const statements = statementsOf(store);
  const gatesOf = createGates(store);
  const lease = createLease(store, laneStatements);
  const put = (jobs: readonly InboxJob[]): number => {
    if (jobs.length > 0) statements.putIntoLanes.run(JSON.stringify(jobs.map(({ job }) => job)));
    return jobs.length;
  };

  const takeOfType = (most: number, priority: number, type: ClaimType, round: Round): Taken => {
    const found = statements.jobs.all(claimName(type), priority, most + lookahead);
    const jobs = round.isAhead ? found : found.filter((job) => job.priority === priority);
    const byLane = Map.groupBy(jobs, ({ lane }) => lane);
    const lanes = [...byLane.keys()];
    if (lanes.length === 0) return { begun: 0, lanes, put: 0 };
    const gates = gatesOf(lanes, round.now);
    const { beginning, entering } = choose(byLane, gates, most, round);
    gates.flush();
    lease(
      beginning.map((job): Beginning => ({ jobs: [job], type, isKeeping: keepsPlaces(job.limits ?? ""), probed: [] })),
      round,
    );
    return { begun: beginning.length, lanes: beginning.map(({ lane }) => lane), put: put(entering) };
  };

  const putIntoLanes: Inbox["putIntoLanes"] = (most, priority, { types }) => {
    let left = most;
    for (const name of types.keys()) {
      if (left > 0) left -= put(statements.jobs.all(name, priority, left).filter((job) => job.priority === priority));
    }
    return most - left;
  };

  return {
    highest: (types) => {
      const tops = statements.tops.all().filter(({ name }) => types.has(name));
      return Math.max(-Infinity, ...tops.map((top) => top.priority));
    },
    take: (most, priority, round) => {
      const all = { begun: 0, lanes: [] as number[], put: 0 };
      for (const type of round.types.values()) {
        if (all.begun >= most) break;
        const taken = takeOfType(most - all.begun, priority, type, round);
        all.begun += taken.begun;
        all.put += taken.put;
        all.lanes.push(...taken.lanes);
      }
      return all;
    },
    putIntoLanes,
    putOldIntoLanes: (priority, round) => {
      const isOld = [...round.types.keys()].some((name) => {
        const [first] = statements.jobs.all(name, priority, 1);
        return first?.priority === priority && first.due_at <= round.now - longestMs;
      });
      return isOld && putIntoLanes(mostAtOnce, priority, round) > 0;
    },
  };
}

interface Chosen {
  readonly beginning: readonly InboxJob[];
  /** The first job of each lane that leaves the inbox without beginning. The others of the lane follow it. */
  readonly entering: readonly InboxJob[];
}

/** Chooses among the jobs of each lane, in the order of the first ones. One that is left for the next claim stays where it is. */
function choose(
  byLane: ReadonlyMap<number, readonly InboxJob[]>,
  gates: Gates,
  most: number,
  { isAhead, now }: Pick<Round, "isAhead" | "now">,
): Chosen {
  const hasRoom = (lane: number): boolean => {
    const own = gates.of(lane);
    const isOpen = own.every((gate) => hasRoomAtOnce(gate, now) && (!isAhead || hasRoomAhead(gate, 1, now)));
    // None: the lane is missing, and is created when the job goes into it.
    return isOpen && own.length > 0;
  };
  const beginning: InboxJob[] = [];
  const entering: InboxJob[] = [];
  for (const [lane, [first, second]] of byLane) {
    if (first === undefined) continue;
    const isLeft = beginning.length >= most;
    if (!isLeft && hasRoom(lane)) {
      for (const { gate } of gates.allowances(lane, 1)) gates.take(gate, { placed: 1, begun: 1, first: first.job });
      beginning.push(first);
      if (second !== undefined) entering.push(second);
    } else if (!isLeft && !isAhead) {
      entering.push(first);
    }
  }
  return { beginning, entering };
}
