import { createClient } from "chainwright";
import type { NotifyAdapter, StateAdapter } from "chainwright/adapter";
import { jobTypes } from "./job-types.ts";
import type { LeapingClock } from "./leaping-clock.ts";
import type { EventLog } from "./event-log.ts";

export type AppClient = ReturnType<typeof clientOf>;

export function clientOf(parts: {
  readonly stateAdapter: StateAdapter;
  readonly notifyAdapter: NotifyAdapter | undefined;
  readonly clock: LeapingClock;
  readonly eventLog: EventLog;
}) {
  const { stateAdapter, notifyAdapter, clock, eventLog } = parts;
  return createClient({ stateAdapter, notifyAdapter, jobTypes, clock, observers: [eventLog.observer] });
}
