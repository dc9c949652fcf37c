import type { ScheduleRecord, SkipReason, TickRecord } from "chainwright/adapter";
import type { SqliteValue } from "../driver.ts";

export interface ScheduleRow {
  readonly id: string;
  readonly revision: number;
  readonly next_at: number | null;
  readonly paused_at: number | null;
  readonly last_at: number | null;
  readonly last_chain_id: string | null;
  readonly missed_count: number;
  readonly skipped_count: number;
  readonly forgotten_from: number | null;
  readonly forgotten_until: number | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly type_name: string;
  readonly owner: string | null;
  readonly paused_reason: string | null;
  readonly tz_version: string | null;
  readonly declared: string;
  readonly override: string | null;
}

/** What a tick and what upkeep change. */
const tickedColumns =
  "next_at, last_at, last_chain_id, missed_count, skipped_count, tz_version, forgotten_from, forgotten_until";

export const scheduleColumns = `id, ${tickedColumns}, revision, paused_at, created_at, updated_at, type_name, owner, paused_reason,
       declared, override`;

export function scheduleRecord(row: ScheduleRow): ScheduleRecord {
  const { forgotten_from: from, forgotten_until: until } = row;
  return {
    id: row.id,
    owner: row.owner ?? undefined,
    typeName: row.type_name,
    declared: row.declared,
    override: row.override ?? undefined,
    pausedAt: row.paused_at ?? undefined,
    pausedReason: row.paused_reason ?? undefined,
    nextAt: row.next_at ?? undefined,
    tzVersion: row.tz_version ?? undefined,
    revision: row.revision,
    lastAt: row.last_at ?? undefined,
    lastChainId: row.last_chain_id ?? undefined,
    missedCount: row.missed_count,
    skippedCount: row.skipped_count,
    forgotten: from === null || until === null ? undefined : { from, until },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** In the order of {@link tickedColumns}. */
function tickedValues(record: ScheduleRecord): readonly SqliteValue[] {
  const { nextAt, lastAt, lastChainId, missedCount, skippedCount, tzVersion, forgotten } = record;
  return [
    nextAt ?? null,
    lastAt ?? null,
    lastChainId ?? null,
    missedCount,
    skippedCount,
    tzVersion ?? null,
    forgotten?.from ?? null,
    forgotten?.until ?? null,
  ];
}

/** In the order of {@link scheduleColumns}. */
export function scheduleValues(record: ScheduleRecord): readonly SqliteValue[] {
  const { id, revision, pausedAt, createdAt, updatedAt, typeName, owner, pausedReason, declared, override } = record;
  const rest = [typeName, owner ?? null, pausedReason ?? null, declared, override ?? null];
  return [id, ...tickedValues(record), revision, pausedAt ?? null, createdAt, updatedAt, ...rest];
}

export interface TickRow {
  readonly schedule_id: string;
  readonly at: number;
  readonly made_at: number;
  readonly chain_id: string | null;
  readonly reason: SkipReason | null;
}

export const tickColumns = "schedule_id, at, made_at, chain_id, reason";

export function tickRecord(row: TickRow): TickRecord {
  return {
    scheduleId: row.schedule_id,
    at: row.at,
    chainId: row.chain_id ?? undefined,
    reason: row.reason ?? undefined,
    madeAt: row.made_at,
  };
}
