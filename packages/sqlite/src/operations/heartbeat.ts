import type { Heartbeat, HeartbeatReply } from "chainwright/adapter";
import { migrations } from "../schema.ts";
import type { Store } from "../store.ts";
import { createListPauses } from "./list-pauses.ts";

export function createHeartbeat(store: Store): (heartbeat: Heartbeat, now: number) => HeartbeatReply {
  const { tables: t } = store;
  const listPauses = createListPauses(store);
  const remove = store.sql(`delete from ${t.worker} where id = ?`);
  const upsert = store.sql(
    `insert into ${t.worker} (id, name, type_names, concurrency, holds, schema_version, started_at, last_seen_at, alive_until,
       package_version, code_version, versions, pools)
     values (?, ?, ?, ?, ?, ${migrations(t).length}, ?, ?, ?, ?, ?, ?, ?)
     on conflict (id) do update set name = excluded.name, type_names = excluded.type_names, concurrency = excluded.concurrency,
       holds = excluded.holds, last_seen_at = excluded.last_seen_at, alive_until = excluded.alive_until,
       package_version = excluded.package_version, code_version = excluded.code_version, versions = excluded.versions,
       pools = excluded.pools`,
  );
  return ({ workerId, name, typeNames, concurrency, holds, aliveForMs, ...said }, now) => {
    if (aliveForMs <= 0) remove.run(workerId);
    else {
      const times = [now, now, now + aliveForMs];
      const { packageVersion = null, codeVersion = null } = said;
      const rest = [packageVersion, codeVersion, jsonOf(said.versions), jsonOf(said.pools)];
      upsert.run(workerId, name, JSON.stringify(typeNames), concurrency, holds, ...times, ...rest);
    }
    return { paused: listPauses(now) };
  };
}

function jsonOf(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
