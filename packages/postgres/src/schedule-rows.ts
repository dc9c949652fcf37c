import type { ScheduleRecord, SkipReason, TickRecord } from "chainwright/adapter";
import type { PostgresRow } from "./driver.ts";
import { numberOf, textOf, wholeMs } from "./rows.ts";

/** The columns of a schedule with their types, in the order in which `scheduleRecordOf` reads them. */
const columns = {
  id: "text",
  next_at: "bigint",
  last_at: "bigint",
  paused_at: "bigint",
  created_at: "bigint",
  updated_at: "bigint",
  forgotten_from: "bigint",
  forgotten_until: "bigint",
  missed_count: "bigint",
  skipped_count: "bigint",
  revision: "integer",
  last_chain_id: "uuid",
  type_name: "text",
  owner: "text",
  paused_reason: "text",
  tz_version: "text",
  declared: "text",
  override: "text",
} as const;

/** The columns as a function returns them. */
export const scheduleTable = Object.entries(columns)
  .map(([name, type]) => `${name} ${type}`)
  .join(", ");

/** Selects the columns from a row of `schedule`. */
export const selectedSchedule = (row: string): string =>
  Object.entries(columns)
    .map(([name, type]) => (type === "bigint" ? `${wholeMs(`${row}.${name}`)} as ${name}` : `${row}.${name}`))
    .join(", ");

export function scheduleRecordOf(row: PostgresRow): ScheduleRecord {
  const [from, until] = [numberOf(row[6]), numberOf(row[7])];
  return {
    id: String(row[0]),
    nextAt: numberOf(row[1]),
    lastAt: numberOf(row[2]),
    pausedAt: numberOf(row[3]),
    createdAt: Number(row[4]),
    updatedAt: Number(row[5]),
    forgotten: from === undefined || until === undefined ? undefined : { from, until },
    missedCount: Number(row[8]),
    skippedCount: Number(row[9]),
    revision: Number(row[10]),
    lastChainId: textOf(row[11]),
    typeName: String(row[12]),
    owner: textOf(row[13]),
    pausedReason: textOf(row[14]),
    tzVersion: textOf(row[15]),
    declared: String(row[16]),
    override: textOf(row[17]),
  };
}

const reasons: readonly SkipReason[] = ["overlap", "missed"];

/** The code of a reason in `tick.reason`. */
export function reasonCodeOf(reason: SkipReason): number {
  return reasons.indexOf(reason);
}

/** The columns of a tick `t`, as `tickRecordOf` reads them. */
export const tickColumns = `t.schedule_id, ${wholeMs("t.at")} as at, t.chain_id, t.reason, ${wholeMs("t.made_at")} as made_at`;

export function tickRecordOf([scheduleId, at, chainId, reason, madeAt]: PostgresRow): TickRecord {
  return {
    scheduleId: String(scheduleId),
    at: Number(at),
    chainId: textOf(chainId),
    reason: reason === null ? undefined : reasons[Number(reason)],
    madeAt: Number(madeAt),
  };
}
