import type { StateAdapter } from "chainwright";
import type { ScheduleChange, ScheduleRecord, ScheduleSettings, TickItem, TickReply } from "chainwright/adapter";
import { job } from "./jobs.ts";

/** The settings of a schedule with this next tick. */
export function settings(nextAt: number | undefined, details: Partial<ScheduleSettings> = {}): ScheduleSettings {
  return {
    owner: undefined,
    typeName: "a",
    declared: "{}",
    override: undefined,
    pausedAt: undefined,
    pausedReason: undefined,
    nextAt,
    tzVersion: "2025a",
    ...details,
  };
}

/** Changes schedules; the call must be accepted. */
export async function change<Tx>(store: StateAdapter<Tx>, ...changes: readonly ScheduleChange[]): Promise<void> {
  const reply = await store.changeSchedules(changes, {});
  if (!reply.ok) throw new Error(`the changes were refused: ${JSON.stringify(reply.refusal)}`);
}

export async function create<Tx>(store: StateAdapter<Tx>, ids: readonly string[], nextAt: number): Promise<void> {
  await change(store, ...ids.map((id) => ({ id, from: undefined, to: settings(nextAt) })));
}

export async function scheduleOf<Tx>(store: StateAdapter<Tx>, id: string): Promise<ScheduleRecord> {
  const { schedules } = await store.listSchedules({ ids: [id], after: undefined, limit: 1, order: "ascending" }, {});
  const [schedule] = schedules;
  if (schedule === undefined) throw new Error(`there is no schedule ${id}`);
  return schedule;
}

/** The next tick of a schedule as a worker computes it: one start, and the tick after it so many milliseconds later. */
export function itemOf(
  { id: scheduleId, revision, nextAt = 0 }: ScheduleRecord,
  everyMs: number,
  details: Partial<TickItem> = {},
): TickItem {
  return {
    scheduleId,
    advance: { revision, nextAt, to: nextAt + everyMs, lastAt: nextAt, tzVersion: "2025b" },
    starts: [{ at: nextAt, start: job("a") }],
    skipped: [],
    missed: 0,
    overlap: "allow",
    ...details,
  };
}

/** A start for an instant in the past of a schedule. */
export function gapOf(scheduleId: string, at: number): TickItem {
  const starts = [{ at, start: job("a") }];
  return { scheduleId, advance: undefined, starts, skipped: [], missed: 0, overlap: "allow" };
}

/** What became of each item: `taken`, or what became of its starts. */
export function said(replies: readonly TickReply[]): readonly string[] {
  return replies.map((reply) =>
    reply.status === "taken" ? "taken" : reply.starts.map(({ status }) => status).join(", "),
  );
}
