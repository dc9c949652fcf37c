import { innerFunction } from "../sql-function.ts";
import type { Schema } from "../schema.ts";

/**
 * The position up to which every transaction that took a position has ended, so that no row can appear before it any more.
 *
 * It takes two calls to find. One notes a position and the next transaction id. Once all transactions before that id have ended,
 * the position is settled, because a transaction has its id before it takes a position: see `underWay`. An id that is higher than
 * all ids of this server comes from another server: the database was restored.
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
