import type { MaintainReply, MaintainRequest } from "chainwright";
import type { Store } from "../store.ts";
import { createExpire } from "./expire.ts";

export function createMaintain(store: Store): (request: MaintainRequest, now: number) => MaintainReply {
  const { tables: t } = store;
  const expire = createExpire(store);
  const passedWindows = store.sql(`delete from ${t.deduplication} where until_at is not null and until_at <= ?`);
  const deadWorkers = store.sql(`delete from ${t.worker} where alive_until <= ?`);

  return (request, now) => {
    const removed = expire(request, now);
    passedWindows.run(now);
    deadWorkers.run(now);
    return { removed, more: removed >= request.limit };
  };
}
