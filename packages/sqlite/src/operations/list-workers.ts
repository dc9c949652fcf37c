import type { WorkerRecord } from "chainwright/adapter";
import { namesOf } from "../result-rows.ts";
import type { Store } from "../store.ts";

interface WorkerRow {
  readonly id: string;
  readonly name: string;
  readonly type_names: string;
  readonly concurrency: number;
  readonly schema_version: number;
  readonly holds: number;
  readonly started_at: number;
  readonly last_seen_at: number;
  readonly package_version: string | null;
  readonly code_version: number | null;
  readonly versions: string | null;
  readonly pools: string | null;
}

export function createListWorkers(store: Store): (now: number) => readonly WorkerRecord[] {
  const alive = store.sql<WorkerRow>(
    `select id, name, type_names, concurrency, schema_version, holds, started_at, last_seen_at,
       package_version, code_version, versions, pools from ${store.tables.worker}
     where alive_until > ? order by started_at, id`,
  );
  return (now) =>
    alive.all(now).map((row) => ({
      id: row.id,
      name: row.name,
      typeNames: namesOf(row.type_names),
      concurrency: row.concurrency,
      schemaVersion: row.schema_version,
      holds: row.holds,
      startedAt: row.started_at,
      lastSeenAt: row.last_seen_at,
      packageVersion: row.package_version ?? undefined,
      codeVersion: row.code_version ?? undefined,
      versions: row.versions === null ? {} : (JSON.parse(row.versions) as Record<string, number>),
      pools: row.pools === null ? [null] : (JSON.parse(row.pools) as (string | null)[]),
    }));
}
