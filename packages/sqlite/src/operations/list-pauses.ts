import type { PausedType } from "chainwright/adapter";
import type { Tables } from "../schema.ts";
import type { Store } from "../store.ts";

export interface PauseRow {
  readonly type_name: string;
  readonly until: number | null;
  readonly reason: string | null;
  readonly by: string | null;
  readonly at: number;
}

/** Selects the pauses whose time has not passed, as `pausedTypeOf` reads them. */
export function selectPauses(t: Tables): string {
  return `select type_name, until, reason, "by", at from ${t.pause} where until is null or until > ?`;
}

export function pausedTypeOf({ type_name: typeName, until, reason, by, at }: PauseRow, now: number): PausedType {
  return {
    typeName,
    reason: reason ?? undefined,
    by: by ?? undefined,
    pausedAt: at,
    until: until ?? undefined,
    endsInMs: until === null ? undefined : until - now,
  };
}

/** The job types that are paused, in the order of their names. */
export function createListPauses(store: Store): (now: number) => readonly PausedType[] {
  const pauses = store.sql<PauseRow>(`${selectPauses(store.tables)} order by type_name`);
  return (now) => pauses.all(now).map((row) => pausedTypeOf(row, now));
}
