import type { Engine } from "../engine/engine.ts";
import { describeError } from "../checks/describe-error.ts";
import { ChainwrightError, isChainwrightError } from "../model/error.ts";
import {
  pauseBroken,
  prepareTicks,
  tickEvents,
  type BrokenSchedule,
  type PreparedTicks,
} from "../operations/write-ticks.ts";
import type { TickReply } from "../ports/schedule.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";
import { createTimeLimit, type TimeLimit } from "../timing/time-limit.ts";

/** The most schedules of one call. */
const mostInCall = 500;
/** Workers begin at different times, so that mostly one of them finds a tick to write. */
export const spreadMs = 200;
/** After a pass in which others had taken or locked a schedule. */
const againMs = 1_000;
/** A call that takes longer has failed: its connection may be dead. */
const replyLimitMs = 30_000;

interface Written {
  /** By schedule; undefined: it could not be written. */
  readonly replies: readonly (TickReply | undefined)[];
  /** Why the first of those could not. */
  readonly failure?: Error | undefined;
}

/** Writes the ticks that are due by the store's time; returns the milliseconds until the next look. */
export function createTickPass(engine: Engine): () => Promise<number> {
  const { state, clock, callOptions } = engine;
  const timeLimit = createTimeLimit(clock, { limitMs: replyLimitMs, who: "the store" });
  const write = createWrite(engine, timeLimit);

  /** Schedules that this pass and those just before it could not tick, and that are due before others. */
  let passedBy: ReadonlySet<string> = new Set();

  const pass = async (): Promise<number> => {
    const askedAt = clock.now();
    const limit = mostInCall + passedBy.size;
    const { now, schedules: due, nextTickInMs } = await timeLimit(() => state.dueSchedules(limit, callOptions()));
    const schedules = due.filter(({ id }) => !passedBy.has(id));
    const untilOthers = nextTickInMs ?? Infinity;
    if (schedules.length === 0) {
      const next = untilOthers - (clock.now() - askedAt) + clock.random() * spreadMs;
      const isAnyDue = passedBy.size > 0;
      passedBy = new Set();
      return isAnyDue ? Math.min(next, againMs) : next;
    }
    const prepared = await Promise.all(schedules.map((record) => prepareTicks(engine, record, { now })));
    const broken = prepared.filter(isBroken);
    const ready = prepared.filter((each): each is PreparedTicks => !isBroken(each));
    for (const each of broken) if (!each.isForNewerCode) await pauseBroken(engine, each, now);
    const { replies, failure } = await write(ready, now);
    const unwritten = ready.filter((_, index) => replies[index] === undefined || replies[index].status === "taken");
    const left = [...unwritten, ...broken.filter((each) => each.isForNewerCode)];
    passedBy = untilOthers > 0 ? new Set() : new Set([...passedBy, ...left.map(({ record }) => record.id)]);
    if (failure !== undefined) throw failure;
    const own = Math.min(Infinity, ...ready.map(({ plan }) => (plan.next ?? Infinity) - now));
    const next = Math.min(own, untilOthers) - (clock.now() - askedAt);
    return (
      (left.length > 0 ? Math.min(next, againMs) : next) +
      (schedules.length < mostInCall ? clock.random() * spreadMs : 0)
    );
  };

  return pass;
}

/** Writes ticks in one call; if that fails, in one for each schedule, so that one cannot hold up the others. */
function createWrite(engine: Engine, timeLimit: TimeLimit) {
  const { state, clock, callOptions, events } = engine;

  const write = async (ready: readonly PreparedTicks[], now: number): Promise<Written> => {
    if (ready.length === 0) return { replies: [] };
    try {
      const items = ready.map(({ item }) => item);
      const replies = await timeLimit(() => retryConflicts(state, clock, () => state.tick(items, callOptions())));
      events.record(
        replies.flatMap((reply, index) => tickEvents(ready[index], reply, now)),
        undefined,
      );
      return { replies };
    } catch (error) {
      if (isChainwrightError(error, "store-unavailable")) throw error;
      const [only, ...others] = ready;
      if (only !== undefined && others.length === 0)
        return { replies: [undefined], failure: cannotTick(only.record.id, error) };
      const each: Written[] = [];
      for (const one of ready) each.push(await write([one], now));
      return {
        replies: each.flatMap(({ replies }) => replies),
        failure: each.find(({ failure }) => failure !== undefined)?.failure,
      };
    }
  };

  return write;
}

function cannotTick(id: string, cause: unknown): Error {
  const message = `the ticks of schedule "${id}" cannot be written: ${describeError(cause).message}`;
  return isChainwrightError(cause)
    ? new ChainwrightError(cause.code, message, { cause, details: { ...cause.details, scheduleId: id } })
    : new Error(message, { cause });
}

function isBroken(each: PreparedTicks | BrokenSchedule): each is BrokenSchedule {
  return "error" in each;
}
