import { allJobStatuses, type JobStatus } from "../../model/status.ts";
import type { CountQuery, JobCount } from "../../ports/query.ts";
import { nothing } from "../../rules/replies.ts";
import { byTypeName, countOf } from "../lanes.ts";
import type { Lane, TypeRow } from "../row-types.ts";
import { promote } from "../store.ts";
import type { Store } from "../store.ts";

export function count(
  store: Store,
  { statuses = allJobStatuses, byVersion = false }: CountQuery,
  now: number,
): readonly JobCount[] {
  promote(store, now);
  return [...byTypeName(store.lanes)].flatMap(([typeName, ofType]) =>
    statuses.flatMap((status) => {
      if (!byVersion || !isQueued(status)) return countRows({ typeName }, status, ofType, now);
      return ofType.flatMap((row) => countRows({ typeName, version: row.version, pool: row.pool }, status, [row], now));
    }),
  );
}

function isQueued(status: JobStatus): boolean {
  return status === "ready" || status === "scheduled" || status === "running";
}

/** None: there are no such jobs. */
function countRows(
  name: Pick<JobCount, "typeName" | "version" | "pool">,
  status: JobStatus,
  rows: readonly TypeRow[],
  now: number,
): readonly JobCount[] {
  const jobs = countOf(rows, status);
  if (jobs === 0) return nothing;
  const oldestReadyMs = status === "ready" ? ageOf(oldestReadyAt(rows), now) : undefined;
  return [{ ...name, status, count: jobs, oldestReadyMs, ...(status === "ready" ? limitedOf(rows, now) : {}) }];
}

function oldestReadyAt(rows: readonly TypeRow[]): number {
  return Math.min(...rows.flatMap(({ busy }) => busy.map(oldestIn)));
}

/** The jobs that wait for a place of a limit. */
function limitedOf(rows: readonly TypeRow[], now: number): Pick<JobCount, "limited" | "oldestLimitedMs"> {
  const limited = rows.reduce((sum, { limits }) => sum + (limits?.waiting ?? 0), 0);
  if (limited === 0) return {};
  const lanes = rows.flatMap(({ limits }) => [...(limits?.lanes.values() ?? nothing)]);
  const oldest = lanes.reduce((least, { busy, kept }) => {
    return Math.min(least, ...busy.filter((lane) => lane !== kept).map(oldestIn));
  }, Infinity);
  return { limited, oldestLimitedMs: ageOf(oldest, now) };
}

/** Undefined: there is none. */
function ageOf(readyAt: number, now: number): number | undefined {
  return readyAt === Infinity ? undefined : Math.max(0, now - readyAt);
}

/**
 * A row is not ready before it is written, and rows were written in the order of their positions: once one was written after
 * the oldest found so far, no row behind it can be older. So it reads only the first rows of any backlog.
 */
function oldestIn({ rows, head, older }: Lane): number {
  let oldest = Infinity;
  for (let at = head; at < rows.length; at += 1) {
    const row = rows[at];
    if (row === undefined || row.createdAt >= oldest) break;
    if (row.status === "ready") oldest = Math.min(oldest, row.readyAt);
  }
  for (const row of older.items) if (row.status === "ready") oldest = Math.min(oldest, row.readyAt);
  return oldest;
}
