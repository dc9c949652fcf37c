import type { Heartbeat, HeartbeatReply } from "chainwright/adapter";
import { migrations } from "../schema.ts";
import type { Store } from "../store.ts";
import { createListPauses } from "./list-pauses.ts";

export function createHeartbeat(store: Store): (heartbeat: Heartbeat, now: number) => HeartbeatReply {
  const { tables: t } = store;
  const listPauses = createListPauses(store);
  const remove = store.sql(`delete from ${t.worker} where id = ?`);
  const upsert = store.sql(
    `insert into ${t.worker} (id, name, type_names, concurrency, holds, schema_version, started_at, last_seen_at, alive_until)
     values (?, ?, ?, ?, ?, ${migrations(t).length}, ?, ?, ?)
     on conflict (id) do update set name = excluded.name, type_names = excluded.type_names, concurrency = excluded.concurrency,
       holds = excluded.holds, last_seen_at = excluded.last_seen_at, alive_until = excluded.alive_until`,
  );
  return ({ workerId, name, typeNames, concurrency, holds, aliveForMs }, now) => {
    if (aliveForMs <= 0) remove.run(workerId);
    else upsert.run(workerId, name, JSON.stringify(typeNames), concurrency, holds, now, now, now + aliveForMs);
    return { paused: listPauses(now) };
  };
}
