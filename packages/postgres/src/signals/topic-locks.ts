import { topicKey } from "./tables.ts";
import type { Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";

/**
 * Locks topics until the transaction ends: exclusively with `p_publishes`, otherwise shared for jobs that begin to wait. So a publication either
 * sees a job that has begun to wait, or is seen by it. In the order of the keys, so that no two calls wait for each other.
 *
 * With `p_free` it waits for no one, and returns whether it has got all of them.
 */
export function lockTopicsFunction(schema: Schema): string {
  const keys = `(select distinct ${topicKey(schema, "t.topic")} as key from unnest(p_topics) as t(topic) order by 1) k`;
  return innerFunction(schema, {
    name: "lock_topics_v1",
    parameters: "p_topics text[], p_publishes boolean, p_free boolean",
    returns: "boolean",
    declare: "",
    body: `  if p_free then
    return (select coalesce(bool_and(pg_try_advisory_xact_lock_shared(k.key)), true) from ${keys});
  end if;
  if p_publishes then
    perform pg_advisory_xact_lock(k.key) from ${keys};
  else
    perform pg_advisory_xact_lock_shared(k.key) from ${keys};
  end if;
  return true;`,
  });
}

/** An expression for the topics of the waits of starts in this JSON. */
export const topicsOf = (starts: string) => `array(select jsonb_path_query(${starts}, '$[*].waits.topics[*]')#>>'{}')`;

/** Locks the topics that starts in `v_starts` wait for, before any row. Few calls of settle have starts. */
export const lockTopicsOfStarts = (s: string) => `  if v_starts is not null and p_free is null then
    perform ${s}.lock_topics_v1(${topicsOf("v_starts")}, false, false);
  end if;`;
