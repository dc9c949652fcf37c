import type { FailureGroupsReply, FailureQuery } from "chainwright/adapter";
import type { Store } from "../store.ts";

interface GroupRow {
  readonly type_name: string;
  readonly kind: string;
  readonly count: number;
  readonly first_at: number;
  readonly last_at: number;
  readonly newest: string;
  readonly groups: number;
  readonly failures: number;
}

/** The groups are counted from the index alone; the newest of a group is looked up in it only for those that are returned. */
export function createGroupFailures({ tables: t, sql }: Store): (query: FailureQuery) => FailureGroupsReply {
  const select = sql<GroupRow>(
    `with grouped as (
       select type_name, kind, count(*) as count, min(failed_at) as first_at, max(failed_at) as last_at
       from ${t.failure}
       where failed_at >= ? and (? is null or type_name in (select value from json_each(?)))
       group by type_name, kind),
     largest as (
       select *, count(*) over () as groups, sum(count) over () as failures from grouped
       order by count desc, last_at desc, type_name, kind limit ?)
     select largest.*, (
       select max(f.id) from ${t.failure} f
       where f.failed_at = largest.last_at and f.type_name = largest.type_name and f.kind = largest.kind) as newest
     from largest order by count desc, last_at desc, type_name, kind`,
  );
  return ({ typeNames, since, limit }) => {
    const types = typeNames === undefined ? null : JSON.stringify(typeNames);
    const rows = select.all(since ?? Number.MIN_SAFE_INTEGER, types, types, limit);
    return {
      groups: rows.map((row) => ({
        typeName: row.type_name,
        kind: row.kind,
        count: row.count,
        firstAt: row.first_at,
        lastAt: row.last_at,
        newestJobId: row.newest,
      })),
      groupCount: rows[0]?.groups ?? 0,
      failureCount: rows[0]?.failures ?? 0,
    };
  };
}
