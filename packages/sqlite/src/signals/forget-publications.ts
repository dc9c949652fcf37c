import type { Store } from "../store.ts";

/** Deletes publications that are kept no longer. Reports whether there may be more of them. */
export function createForgetPublications({ tables: t, sql }: Store): (limit: number, now: number) => boolean {
  const forget = sql(
    `delete from ${t.topicSignal} where position in (
       select position from ${t.topicSignal} where until <= ? order by until limit ?)`,
  );
  return (limit, now) => Number(forget.run(now, limit).changes) >= limit;
}
