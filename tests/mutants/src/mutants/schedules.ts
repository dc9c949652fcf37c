import type { Mutant } from "../mutant.ts";

/** Keep a tick from being doubled, lost, or made at a wrong time. */
export const scheduleMutants: readonly Mutant[] = [
  {
    name: "schedules: an instant that is on record starts no second chain",
    in: "core:startOne",
    find: 'if (recorded !== undefined && (advance !== undefined || recorded.chainId !== undefined)) return { status: "known" };',
    replace: "",
  },
  {
    name: "schedules: a tick compares the next tick of its schedule",
    in: "core:isDueFor",
    find: "schedule.nextAt === nextAt &&",
    replace: "",
  },
  {
    name: "schedules: what was forgotten is not filled again",
    in: "core:startOne",
    find: 'if (advance === undefined && isForgotten(schedules.schedule(scheduleId), at)) return { status: "known" };',
    replace: "",
  },
  {
    name: "schedules: the store's time decides what is due, not that of the worker",
    in: "core:createTickPass",
    find: "prepareTicks(engine, record, { now })",
    replace: "prepareTicks(engine, record, { now: clock.now() })",
  },
  {
    name: "schedules: a time in a gap is moved behind it",
    in: "core:onChangeOfClocks",
    find: "hasFixedHours ? endOfGap(spans, wall) : undefined",
    replace: "undefined",
  },
  {
    name: "schedules: a time that comes twice is at its first",
    in: "core:onChangeOfClocks",
    find: "second !== undefined && !hasFixedHours",
    replace: "second !== undefined",
  },
  {
    name: "schedules: a worker learns from heartbeats when the next tick is due",
    in: "core:createChores",
    find: "ticks?.note(reply.nextTickInMs, askedAt);",
    replace: "",
  },
];
