import type { PauseRequest } from "chainwright/adapter";
import type { Store } from "../store.ts";

export function createSetPauses(store: Store): (request: PauseRequest, now: number) => void {
  const { pause } = store.tables;
  const removePassed = store.sql(`delete from ${pause} where until <= ?`);
  const resumeType = store.sql(`delete from ${pause} where type_name = ?`);
  const pauseType = store.sql(
    `insert into ${pause} (type_name, until, reason, "by", at) values (?, ?, ?, ?, ?)
     on conflict (type_name) do update set until = excluded.until, reason = excluded.reason, "by" = excluded."by", at = excluded.at`,
  );
  return ({ pauses, resume }, now) => {
    removePassed.run(now);
    for (const { typeName, forMs, reason, by } of pauses)
      pauseType.run(typeName, forMs === undefined ? null : now + forMs, reason ?? null, by ?? null, now);
    for (const typeName of resume) resumeType.run(typeName);
  };
}
