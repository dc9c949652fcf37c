import type { ChainId } from "../model/ids.ts";
import type { StartedChainOf } from "./chain.ts";
import type { AnyEnv } from "./env.ts";
import type { InTransaction, Page, PageOptions, TypeFilter } from "./list-options.ts";
import type { DueSchedulesInfo, RecurringSchedule, ScheduleTick } from "./recurring.ts";
import type { ApplySchedules, CreateSchedule, UpdateSchedule } from "./schedule-options.ts";

/* An alias; see `StartCalls`. */
/** The client's calls about recurring schedules. */
export type ScheduleCalls<in out E extends AnyEnv> = {
  /**
   * Creates a schedule, which starts a chain at each of its ticks: exactly one, in the transaction in which the schedule advances. Its
   * first tick is after this call.
   *
   * @throws `invalid-input`, `duplicate-id`, `not-an-entry`, `unknown-job-type`
   * @example
   * await client.createSchedule({
   *   id: "reminders",
   *   typeName: "reminder.send",
   *   input: { to },
   *   cron: "0 9 * * MON-FRI",
   *   timeZone: "Europe/Vienna",
   * });
   */
  readonly createSchedule: CreateSchedule<E["types"], E["tx"]>;

  /**
   * Makes the schedules of an owner those that are listed: creates those that are missing, changes those that differ, and deletes those
   * that the owner no longer lists. All or nothing. What was changed at run time stays, until `resetSchedule`. Call it when you deploy.
   *
   * @throws `invalid-input`, `not-an-entry`, `unknown-job-type`
   * @example
   * await client.applySchedules({
   *   owner: "mails",
   *   schedules: [{ id: "reminders", typeName: "reminder.send", input: { to }, everyMs: 90_000 }],
   * });
   */
  readonly applySchedules: ApplySchedules<E["types"], E["tx"]>;

  /**
   * Changes parts of a schedule at run time. The change counts from the next tick after its commit.
   *
   * @param options With `ifRevision` it is refused if the schedule has another revision.
   * @throws `schedule-not-found`, `schedule-changed`, `invalid-input`
   * @example
   * await client.updateSchedule({ id: "reminders", cron: "0 8 * * *" });
   */
  readonly updateSchedule: UpdateSchedule<E["types"], E["tx"]>;

  /**
   * Drops what was changed at run time, a pause included: the schedule is again as it was created or last applied.
   *
   * @throws `schedule-not-found`, `schedule-changed`
   * @example
   * await client.resetSchedule({ id: "reminders" });
   */
  resetSchedule(options: ChangeOf & InTransaction<E["tx"]>): Promise<RecurringSchedule>;

  /**
   * Pauses a schedule. It costs nothing while it is paused.
   *
   * @param options `reason`: shown with the schedule and on the dashboard; up to 2,000 characters.
   * @throws `schedule-not-found`, `schedule-changed`, `invalid-input`
   * @example
   * await client.pauseSchedule({ id: "reminders", reason: "the mail provider is down" });
   */
  pauseSchedule(
    options: ChangeOf & InTransaction<E["tx"]> & { readonly reason?: string | undefined },
  ): Promise<RecurringSchedule>;

  /**
   * Ends a pause.
   *
   * @param options `missed`: what happens to the ticks of the pause. Default: the policy of the schedule.
   * @throws `schedule-not-found`, `schedule-changed`, `invalid-input`
   * @example
   * await client.resumeSchedule({ id: "reminders", missed: "skip" });
   */
  resumeSchedule(
    options: ChangeOf & InTransaction<E["tx"]> & { readonly missed?: "skip" | "one" | "all" | undefined },
  ): Promise<RecurringSchedule>;

  /**
   * Deletes a schedule. The chains of its ticks stay.
   *
   * @throws `schedule-not-found`, `schedule-changed`
   * @example
   * await client.deleteSchedule({ id: "reminders" });
   */
  deleteSchedule(options: ChangeOf & InTransaction<E["tx"]>): Promise<void>;

  /**
   * Starts a chain as a tick of the schedule would, now. It is no tick and replaces none, and `job.tick` is undefined in its handler. It
   * works for a paused schedule. It runs beside the ticks: it starts with `overlap: "skip"` too while the chain of a tick is active, and the
   * next tick does not wait for it.
   *
   * @throws `schedule-not-found`, `input-unreadable`
   * @example
   * const { id } = await client.triggerSchedule({ id: "reminders" });
   */
  triggerSchedule(options: Named & InTransaction<E["tx"]>): Promise<StartedChainOf<E["types"], E["entries"]>>;

  /**
   * Starts the chains of a span that are missing, once each: ticks before the schedule was created, and those that were left out. A tick
   * whose record was forgotten, 14 days after it was written, does not start again. It starts all that are missing, whatever `overlap` and
   * `missed` are: ticks that `overlap: "skip"` left out as well. They run at the same time; a small `limit` starts them bit by bit.
   *
   * @param options At most `limit` ticks, 500 by default; then `nextFrom` says from where to go on.
   * @throws `schedule-not-found`, `invalid-input`
   * @example
   * const from = new Date(Date.now() - 24 * 3_600_000);
   * const { started, nextFrom } = await client.backfillSchedule({ id: "reminders", from, until: new Date() });
   */
  backfillSchedule(
    options: Named &
      InTransaction<E["tx"]> & { readonly from: Date; readonly until: Date; readonly limit?: number | undefined },
  ): Promise<BackfilledTicks>;

  /**
   * Lists schedules, by their ids.
   *
   * @throws `invalid-input`
   * @example
   * const { items } = await client.listSchedules({ paused: false });
   * for (const { id, nextAt, lastAt, missedCount } of items) console.log(id, nextAt, lastAt, missedCount);
   */
  listSchedules(
    options?: TypeFilter<E["names"]> &
      PageOptions &
      InTransaction<E["tx"]> & {
        readonly ids?: readonly string[] | undefined;
        readonly owner?: string | undefined;
        readonly paused?: boolean | undefined;
        readonly order?: "ascending" | "descending" | undefined;
      },
  ): Promise<Page<RecurringSchedule>>;

  /**
   * Lists the schedules whose tick is due and has not been written, the longest due first: for more than a moment there are some only
   * while no worker runs that writes ticks.
   *
   * @throws `invalid-input`
   * @example
   * const { lagMs, items } = await client.listDueSchedules({ limit: 10 });
   * if (lagMs > 60_000) logger.warn(`schedules are late: ${items.map(({ id }) => id).join(", ")}`);
   */
  listDueSchedules(
    options?: { readonly limit?: number | undefined } & InTransaction<E["tx"]>,
  ): Promise<DueSchedulesInfo>;

  /**
   * Lists the ticks of a schedule, the latest first: 20 by default. They are on record for 14 days. With `ids` it lists the latest of
   * each of several schedules, in the order of the ids, on one page.
   *
   * @throws `invalid-input`
   * @example
   * const { items } = await client.listTicks({ id: "reminders" });
   * for (const { at, chainId, reason } of items) console.log(at, chainId ?? reason);
   */
  listTicks(
    options: ((Named & PageOptions) | { readonly ids: readonly string[]; readonly limit?: number | undefined }) &
      InTransaction<E["tx"]>,
  ): Promise<Page<ScheduleTick>>;
};

/* Aliases without a name of their own, so that a module that exports a call by itself can be emitted. */
type Named = { readonly id: string };

type ChangeOf = Named & {
  /** The change is refused with `schedule-changed` if the schedule has another revision. */
  readonly ifRevision?: number | undefined;
};

type BackfilledTicks = {
  /** The chains that were started, in the order of their instants. */
  readonly started: readonly { readonly at: Date; readonly chainId: ChainId }[];
  /** How many instants had a chain before, or may have had one that is forgotten. */
  readonly known: number;
  /** Where the next call goes on. Undefined: the span is complete. */
  readonly nextFrom: Date | undefined;
};
