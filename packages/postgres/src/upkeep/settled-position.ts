import { innerFunction } from "../sql-function.ts";
import type { Schema } from "../schema.ts";

/**
 * The position up to which every transaction that took one has ended, so that no row can appear there any more.
 *
 * It is found in two steps, in two calls: note a position and the next transaction id; once all transactions before that id
 * have ended, the position is settled. Whoever takes a position has its transaction id by then: see `pg_current_xact_id`
 * where chains start. An id beyond all that this server has given comes from another server: the database was restored.
 */
export function settledPositionFunction(schema: Schema): string {
  const { quoted: s, positions } = schema;
  return innerFunction(schema, {
    name: "settled_position_v1",
    parameters: "",
    returns: "bigint",
    declare: `  v_noted record;
  v_next bigint;
  v_oldest xid8;
  v_newest xid8;`,
    body: `  select m.settled_position, m.noted_position, m.noted_xid into v_noted from ${s}.meta m for update skip locked;
  if not found then
    return (select m.settled_position from ${s}.meta m);
  end if;
  select pg_snapshot_xmin(pg_current_snapshot()), pg_snapshot_xmax(pg_current_snapshot()) into v_oldest, v_newest;
  if v_noted.noted_xid > v_oldest and v_noted.noted_xid <= v_newest then
    return v_noted.settled_position;
  end if;
  v_next := nextval(${positions});
  select pg_snapshot_xmax(pg_current_snapshot()) into v_newest;
  update ${s}.meta m set settled_position = m.noted_position, noted_position = v_next, noted_xid = v_newest;
  return v_noted.noted_position;`,
  });
}
