import type { EventError } from "./event-error.ts";
import type { ChainId } from "./ids.ts";

/** A fact about recurring schedules. Raised after the commit that made it true. */
export type ScheduleEvent =
  | {
      readonly type: "schedules-changed";
      readonly change: "created" | "updated" | "paused" | "resumed" | "deleted";
      readonly scheduleIds: readonly string[];
      /** Of a pause. Undefined: none was given. */
      readonly reason: string | undefined;
    }
  | {
      /** A tick started a chain. */
      readonly type: "schedule-ticked";
      readonly scheduleId: string;
      readonly typeName: string;
      readonly chainId: ChainId;
      /** The instant of the schedule, in milliseconds since 1970. */
      readonly at: number;
      /** How long after that instant the tick was written, by the store's clock. */
      readonly lateMs: number;
      /** How many ticks before it were left out because they were late. */
      readonly missed: number;
    }
  | {
      /** A tick started nothing, because the chain of the tick before is active. */
      readonly type: "tick-skipped";
      readonly scheduleId: string;
      readonly typeName: string;
      readonly at: number;
      /** The active chain. */
      readonly chainId: ChainId;
    }
  | {
      /** Ticks were left out because they were late. */
      readonly type: "tick-missed";
      readonly scheduleId: string;
      readonly typeName: string;
      readonly missed: number;
      /** The instant of the first of them. */
      readonly from: number;
    }
  | {
      /** A schedule paused itself, because its input cannot be used. */
      readonly type: "schedule-broken";
      readonly scheduleId: string;
      readonly typeName: string;
      readonly error: EventError;
    };
