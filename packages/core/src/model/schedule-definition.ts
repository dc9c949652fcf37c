/** What happens to ticks that are more than a minute late: none runs, one for all of them, or each. */
export type MissedPolicy = "skip" | "one" | "all";

/** A schedule as a store keeps it, as JSON text. Moments are milliseconds since 1970. */
export interface ScheduleDefinition {
  readonly typeName: string;
  /** JSON text. */
  readonly input: string;
  /** The version of its type that the input has. */
  readonly version: number;
  readonly rule:
    | { readonly cron: string; readonly timeZone: string }
    | { readonly everyMs: number; readonly from: number };
  readonly startAt: number | null;
  readonly endAt: number | null;
  readonly missed: MissedPolicy;
  readonly maxMissed: number;
  readonly overlap: "allow" | "skip";
  readonly jitterMs: number;
  readonly priority: number;
  readonly pool: string | null;
  readonly paused: boolean;
  /** The type that runs if a chain of the schedule stops. Undefined or null: none, or what the definition of its type says. */
  readonly whenStopped?: string | null;
}

/** What was changed at run time. */
export type ScheduleOverride = Partial<ScheduleDefinition>;
