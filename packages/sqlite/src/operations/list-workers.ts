import type { HeldJob, LostWorkerRecord, WorkerRecord } from "chainwright/adapter";
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

const columns = `id, name, type_names, concurrency, schema_version, holds, started_at, last_seen_at,
       package_version, code_version, versions, pools`;

export function createListWorkers(store: Store): (now: number) => readonly WorkerRecord[] {
  const alive = store.sql<WorkerRow>(
    `select ${columns} from ${store.tables.worker} where alive_until > ? order by started_at, id`,
  );
  return (now) => alive.all(now).map(workerOf);
}

interface LostRow extends WorkerRow {
  readonly alive_until: number;
  readonly held: string | null;
}

export function createListLostWorkers(store: Store): (now: number) => readonly LostWorkerRecord[] {
  const lost = store.sql<LostRow>(
    `select ${columns}, alive_until, held from ${store.tables.worker} where alive_until <= ? order by alive_until desc, id`,
  );
  return (now) =>
    lost.all(now).map((row) => ({
      ...workerOf(row),
      lostAt: row.alive_until,
      held: row.held === null ? undefined : (JSON.parse(row.held) as HeldJob[]),
    }));
}

function workerOf(row: WorkerRow): WorkerRecord {
  return {
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
  };
}
