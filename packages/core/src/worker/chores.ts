import type { Heartbeat, HeartbeatReply } from "../ports/heartbeat.ts";
import type { StoredVersions } from "../checks/stored-versions.ts";
import type { Engine } from "../engine/engine.ts";
import { packageVersion } from "../model/package-version.ts";
import { createTimeLimit } from "../timing/time-limit.ts";
import type { LimitedJobs } from "./limited-jobs.ts";
import { createReachedReport } from "./reached-limits.ts";
import { createMaintainRound, type Retention } from "./maintain-round.ts";
import { createDeadlineChore, type DeadlineChore } from "./deadline-chore.ts";
import { createScheduleTicks, type ScheduleTicks } from "./schedule-ticks.ts";
import { createRepeat } from "../timing/repeat.ts";
import type { PausedTypes } from "./paused-types.ts";
import { createChoreFailures, type UpkeepFailure } from "./chore-failures.ts";

/** The chores of a worker for the store, on timers of their own: heartbeats, and maintenance such as retention. */
export interface Chores {
  start(): void;
  /** Writes ticks. Undefined: the worker leaves that to others. */
  readonly ticks: ScheduleTicks | undefined;
  readonly deadlines: DeadlineChore;
  /** Sends a heartbeat soon, because its reply says which types are paused. */
  beat(): void;
  /** The chores that fail now. */
  failures(): readonly UpkeepFailure[];
  /** Stops; when the chores under way have ended, it reports that the worker is gone. Idempotent. */
  leave(): Promise<void>;
}

export interface ChoresOptions {
  readonly workerId: string;
  readonly name: string;
  /** What the worker serves now. */
  readonly serves: () => Pick<Heartbeat, "typeNames" | "pools">;
  readonly codeVersion: number | undefined;
  readonly concurrency: number;
  readonly pollIntervalMs: number;
  readonly retention: Retention;
  /** Whether it writes the ticks of schedules. */
  readonly schedules: boolean;
  /** Returns how many jobs the worker holds. */
  readonly holds: () => number;
  /** Learns from the replies to heartbeats. */
  readonly pausedTypes: Pick<PausedTypes, "ask">;
  readonly limitedJobs: Pick<LimitedJobs, "ask">;
}

/** The shortest time between two heartbeats; a worker that polls more slowly sends one with every poll. */
const heartbeatMs = 10_000;
/** Heartbeats that may be missed before a worker counts as dead. */
const missedHeartbeats = 3;
/** The average time between two rounds of maintenance; it varies, so that workers take turns. */
const roundMs = 60_000;
/** The same after a round that needed more than one pass. */
const busyRoundMs = 10_000;
/** A call that takes longer has failed: its connection may be dead. */
const replyLimitMs = 30_000;

export function createChores(engine: Engine, options: ChoresOptions): Chores {
  const { state, clock, counts, callOptions } = engine;
  const { workerId, retention, holds, pausedTypes, limitedJobs } = options;
  const everyMs = Math.max(heartbeatMs, options.pollIntervalMs);
  const failures = createChoreFailures(engine, workerId);
  const timeLimit = createTimeLimit(clock, { limitMs: replyLimitMs, who: "the store" });
  const maintainRound = createMaintainRound(engine, { workerId, failures, retention });
  const ticks = options.schedules ? createScheduleTicks(engine, failures) : undefined;

  const deadlines = createDeadlineChore(engine, { workerId, failures });

  const heartbeat = (held: number, aliveForMs: number): Promise<HeartbeatReply> =>
    withCounts(counts, (counted) =>
      timeLimit(() =>
        state.heartbeat({ ...saidBy(engine, options), holds: held, aliveForMs, ...counted }, callOptions()),
      ),
    );
  const varied = (ms: number): number => ms * (0.5 + clock.random());

  const reportReached = createReachedReport(engine, workerId);
  const heartbeats = createRepeat(clock, async () => {
    const notePaused = pausedTypes.ask();
    const noteLimited = limitedJobs.ask();
    const askedAt = clock.now();
    const reply = await failures.attempt("heartbeat", () => heartbeat(holds(), everyMs * missedHeartbeats));
    if (reply === undefined) return everyMs;
    notePaused(reply.paused);
    ticks?.note(reply.nextTickInMs, askedAt);
    noteLimited(reply.limited === true);
    deadlines.note(reply.deadlines === true);
    if (reply.limited === true) await reportReached();
    return everyMs;
  });
  const rounds = createRepeat(clock, async (repeating) =>
    varied((await maintainRound(repeating)) ? busyRoundMs : roundMs),
  );

  const leave = async (): Promise<void> => {
    await Promise.all([heartbeats.stop(), rounds.stop(), ticks?.stop(), deadlines.stop()]);
    // If it fails, as when the application has closed the store first, the last heartbeat runs out by itself.
    await heartbeat(0, 0).catch(() => undefined);
  };
  let left: Promise<void> | undefined;

  return {
    start() {
      heartbeats.start(0);
      rounds.start(varied(roundMs));
      ticks?.start();
      deadlines.start();
    },
    ticks,
    deadlines,
    beat: heartbeats.hurry,
    failures: failures.list,
    leave: () => (left ??= leave()),
  };
}

/** What a worker says of itself. */
function saidBy({ types }: Engine, { workerId, name, serves, codeVersion, concurrency }: ChoresOptions) {
  const served = serves();
  const versions = versionsOf(served.typeNames, types.versions);
  return { workerId, name, concurrency, packageVersion, codeVersion, versions, ...served };
}

/**
 * Sends what was counted with a heartbeat. If only the reply to it was lost, it counts twice: a chart that is too high for a minute is better
 * than one that hides what failed.
 */
async function withCounts(
  counts: Engine["counts"],
  send: (report: Pick<Heartbeat, "counted">) => Promise<HeartbeatReply>,
): Promise<HeartbeatReply> {
  const counted = counts.take();
  try {
    return await send(counted.length > 0 ? { counted } : {});
  } catch (error) {
    counts.putBack(counted);
    throw error;
  }
}

/** The newest version that the worker reads, for types that have more than one. */
function versionsOf(typeNames: readonly string[], { newestInput }: StoredVersions): Readonly<Record<string, number>> {
  return Object.fromEntries(
    typeNames.map((typeName) => [typeName, newestInput(typeName)] as const).filter(([, newest]) => newest > 1),
  );
}
