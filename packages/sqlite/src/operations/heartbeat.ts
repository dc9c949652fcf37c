import type { Heartbeat, HeartbeatReply } from "chainwright/adapter";
import { migrations } from "../schema.ts";
import type { Store } from "../store.ts";
import { pausedTypeOf, selectPauses, type PauseRow } from "./list-pauses.ts";
import { createAddCounted } from "../upkeep/history.ts";
import { createNoteHeld, isSilent } from "../upkeep/lost-workers.ts";
import { selectNextTick } from "./due-schedules.ts";
import { createForgetStatistics, selectAnalyzed } from "../upkeep/forget-statistics.ts";

export function createHeartbeat(store: Store): (heartbeat: Heartbeat, now: number) => HeartbeatReply {
  const { tables: t } = store;
  // One statement reads both. There is one row without a pause.
  const look = store.sql<{ readonly next_at: number | null } & (PauseRow | Record<keyof PauseRow, null>)>(
    `select due.next_at, p.* from (${selectNextTick(t)}) due left join (${selectPauses(t)}) p on true order by p.type_name`,
  );
  const remove = store.sql(`delete from ${t.worker} where id = ?`);
  const forgetStatistics = createForgetStatistics(store);
  const upsert = store.sql<{ limited: number; deadlines: number; analyzed: number; silent: number }>(
    `insert into ${t.worker} (id, name, type_names, concurrency, holds, schema_version, started_at, last_seen_at, alive_until,
       package_version, code_version, versions, pools)
     values (?, ?, ?, ?, ?, ${migrations(t).length}, ?, ?, ?, ?, ?, ?, ?)
     on conflict (id) do update set name = excluded.name, type_names = excluded.type_names, concurrency = excluded.concurrency,
       holds = excluded.holds, last_seen_at = excluded.last_seen_at, alive_until = excluded.alive_until,
       package_version = excluded.package_version, code_version = excluded.code_version, versions = excluded.versions,
       pools = excluded.pools, held = null
     returning exists (select 1 from ${t.lane} where state = 1) or exists (select 1 from ${t.lane} where state = 2)
         or exists (select 1 from ${t.openJob} where state = 3 and lane < 0) as limited,
       exists (select 1 from ${t.deadline}) as deadlines, exists (${selectAnalyzed}) as analyzed,
       exists (select 1 from ${t.worker} w where ${isSilent("w")}) as silent`,
  );
  const addCounted = createAddCounted(store);
  const noteHeld = createNoteHeld(store);
  return ({ workerId, name, typeNames, concurrency, holds, aliveForMs, ...said }, now) => {
    if (said.counted !== undefined) addCounted(said.counted, now);
    let [limited, deadlines] = [false, false];
    if (aliveForMs <= 0) remove.run(workerId);
    else {
      const times = [now, now, now + aliveForMs];
      const { packageVersion = null, codeVersion = null } = said;
      const rest = [packageVersion, codeVersion, jsonOf(said.versions), jsonOf(said.pools)];
      const written = upsert.get(
        workerId,
        name,
        JSON.stringify(typeNames),
        concurrency,
        holds,
        ...times,
        ...rest,
        workerId,
        now,
      );
      limited = written?.limited === 1;
      deadlines = written?.deadlines === 1;
      if (written?.analyzed === 1) forgetStatistics();
      if (written?.silent === 1) noteHeld(workerId, now);
    }
    const rows = look.all(now);
    const nextAt = rows[0]?.next_at ?? undefined;
    return {
      paused: rows.flatMap((row) => (row.type_name === null ? [] : pausedTypeOf(row, now))),
      limited: limited || undefined,
      deadlines: deadlines || undefined,
      nextTickInMs: nextAt === undefined ? undefined : Math.max(0, nextAt - now),
    };
  };
}

function jsonOf(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
