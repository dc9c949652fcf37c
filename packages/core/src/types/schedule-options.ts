import type { ScheduleTimes } from "../model/schedule-times.ts";
import type { StoppedOption } from "./compensation.ts";
import type { Computed, TypeIn } from "./computed.ts";
import type { AnyEnv, Env } from "./env.ts";
import type { InputOf } from "./job-type-lookups.ts";
import type { InTransaction } from "./list-options.ts";
import type { BlockersOption } from "./next-step.ts";
import type { RecurringSchedule } from "./recurring.ts";
import type { Refused } from "./refused.ts";
import type { At } from "./table.ts";

/**
 * How a schedule behaves.
 *
 * @example
 * const patient: SchedulePolicies = { missed: "all", maxMissed: 24, overlap: "skip" };
 * await client.updateSchedule({ id: "reminders", ...patient });
 */
export interface SchedulePolicies {
  /**
   * What happens to ticks that are more than a minute late, as after an outage: `one` start for all of them (the default), none
   * (`skip`), or `all`, the oldest first and at most `maxMissed`. `job.tick.missed` is the number that was left out.
   */
  readonly missed?: "skip" | "one" | "all" | undefined;
  /** From 1 to 1,000. Default: 100. */
  readonly maxMissed?: number | undefined;
  /** `skip`: a tick starts nothing while the chain of the tick before is active. Default: `allow`. */
  readonly overlap?: "allow" | "skip" | undefined;
  /** Each chain becomes due up to that many milliseconds after its tick. Default: 0. */
  readonly jitterMs?: number | undefined;
  readonly priority?: number | undefined;
  /** Only workers that serve this pool run its chains. */
  readonly pool?: string | null | undefined;
}

/**
 * A schedule to create.
 *
 * @example
 * const hourly: ScheduleOf<"mail.send", { to: string }> = { id: "hourly", typeName: "mail.send", input: { to }, cron: "0 * * * *" };
 * await client.createSchedule(hourly);
 */
export interface ScheduleOf<out Name, out Input> extends ScheduleTimes, SchedulePolicies {
  /** A text of 1 to 500 bytes. */
  readonly id: string;
  readonly typeName: Name;
  readonly input: Input;
  /** It is created paused. */
  readonly paused?: boolean | undefined;
}

/* The calls are aliases of one declaration each; see `StartChain`. */

/**
 * The call `createSchedule` of a client with these types, such as a module may export by itself.
 *
 * @example
 * const createSchedule: CreateSchedule<TypesOf<typeof client>, never> = client.createSchedule;
 * await createSchedule({ id: "mails", typeName: "mail.send", input: { to }, everyMs: 60_000 });
 */
export type CreateSchedule<in out Types, in Tx> = {
  <
    const Name extends Env<Types, Tx>["entries"] | (string & {}),
    Of extends Computed = Computed<CreateOptions<Types, Tx, Name>>,
  >(
    options: [Name] extends [never] ? { readonly typeName: Name } : NoInfer<TypeIn<Of, Name>>,
  ): Promise<RecurringSchedule>;
};

/**
 * The call `applySchedules` of a client with these types, such as a module may export by itself.
 *
 * @example
 * const applySchedules: ApplySchedules<TypesOf<typeof client>, never> = client.applySchedules;
 * await applySchedules({ owner: "mails", schedules: [] });
 */
export type ApplySchedules<in out Types, in Tx> = {
  <const Given extends readonly Env<Types, Tx>["entries"][]>(
    options: {
      /** The part of the application that declares them: 1 to 200 characters. */
      readonly owner: string;
      readonly schedules: { readonly [Place in keyof Given]: ItemOf<Types, Given[Place]> };
    } & InTransaction<Tx>,
  ): Promise<{
    readonly created: readonly string[];
    readonly updated: readonly string[];
    readonly deleted: readonly string[];
  }>;
};

/**
 * The call `updateSchedule` of a client with these types, such as a module may export by itself.
 *
 * @example
 * const updateSchedule: UpdateSchedule<TypesOf<typeof client>, never> = client.updateSchedule;
 * await updateSchedule({ id: "mails", everyMs: 120_000 });
 */
export type UpdateSchedule<in out Types, in Tx> = {
  <const Name extends Env<Types, Tx>["entries"] = never>(
    options: ScheduleTimes &
      SchedulePolicies &
      InTransaction<Tx> & {
        readonly id: string;
        /** The change is refused with `schedule-changed` if the schedule has another revision. */
        readonly ifRevision?: number | undefined;
      } & (
        | { readonly typeName?: undefined; readonly input?: undefined }
        | (Pick<ItemOf<Types, Name> & { readonly input: unknown }, "typeName" | "input"> &
            At<Stops<Types>, Name & PropertyKey>)
      ),
  ): Promise<RecurringSchedule>;
};

type CreateOptions<Types, Tx, Name> = Name extends Env<Types, Tx>["entries"]
  ? At<Schedules<Types>, Name & PropertyKey> & InTransaction<Tx>
  : string extends Name
    ? At<Schedules<Types>, Env<Types, Tx>["entries"]> & InTransaction<Tx>
    : NotAnEntry<Env<Types, Tx>, Name>;

/* A table, so that the compiler computes the schedule of a type once. */
type Schedules<Types> = {
  [Name in keyof Types]: "blockers" extends keyof Types[Name]
    ? readonly [] extends BlockersOption<Types, Types[Name]["blockers"]>
      ? ScheduleOf<Name, InputOf<Types[Name]>> & StoppedOption<Types[Name]>
      : NeedsBlockers<Name>
    : "signals" extends keyof Types[Name]
      ? NeedsSignals<Name>
      : ScheduleOf<Name, InputOf<Types[Name]>> & StoppedOption<Types[Name]>;
};

type Stops<Types> = { [Name in keyof Types]: StoppedOption<Types[Name]> };

interface NeedsBlockers<in out Name> {
  readonly typeName: Refused<`'${Name & string}' waits for blockers; a schedule cannot give them`>;
  readonly [option: string]: unknown;
}

interface NeedsSignals<in out Name> {
  readonly typeName: Refused<`'${Name & string}' waits for signals; a schedule cannot say until when`>;
  readonly [option: string]: unknown;
}

interface NotAnEntry<in out E extends AnyEnv, in out Name> {
  readonly typeName: Name extends E["names"] & string
    ? Refused<`'${Name}' is not an entry; declare it with entry: true to schedule it`>
    : [E["entries"]] extends [never]
      ? Refused<`'${Name & string}' is not a job type`>
      : E["entries"];
  readonly [option: string]: unknown;
}

/* The name is a property of its own, so that the compiler can infer it. */
type ItemOf<Types, Name> = { readonly typeName: Name } & At<Schedules<Types>, Name & PropertyKey>;
