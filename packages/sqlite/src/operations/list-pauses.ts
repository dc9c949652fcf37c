import type { PausedType } from "chainwright/adapter";
import type { Store } from "../store.ts";

interface PauseRow {
  readonly type_name: string;
  readonly until: number | null;
  readonly reason: string | null;
  readonly by: string | null;
  readonly at: number;
}

/** The job types that are paused, in the order of their names. */
export function createListPauses(store: Store): (now: number) => readonly PausedType[] {
  const pauses = store.sql<PauseRow>(
    `select type_name, until, reason, "by", at from ${store.tables.pause} where until is null or until > ? order by type_name`,
  );
  return (now) =>
    pauses.all(now).map((row) => ({
      typeName: row.type_name,
      reason: row.reason ?? undefined,
      by: row.by ?? undefined,
      pausedAt: row.at,
      until: row.until ?? undefined,
      endsInMs: row.until === null ? undefined : row.until - now,
    }));
}
