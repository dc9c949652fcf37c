import { guard, now, outerFunction } from "../sql-function.ts";
import type { Schema } from "../schema.ts";
import { chorePass, passColumns, passVariables } from "./chore.ts";

/** Adding up so many changes takes about as long as deleting one chain. */
const changesForOne = 10;

/**
 * Adds the changes of the tally to its sums. The ends of jobs only insert changes. If they updated a sum, all of them would wait
 * for that row as long as a transaction of the application in which a chain ended stays open.
 */
export function tallyFunction(schema: Schema): string {
  const { quoted: s } = schema;
  const { begin, finish } = chorePass(schema, "'tally'", "positions");
  return outerFunction(schema, {
    name: "tally_v1",
    parameters: "p_alone text, p_now text, p_limit text",
    returns: `table(${passColumns})`,
    declare: `  v_now double precision := ${now};
${passVariables}
  v_most integer := ${changesForOne} * p_limit::integer;
  v_added integer;
  v_reached bigint;`,
    body: `${guard}
${begin}
  with gone as (
    delete from ${s}.tally_change c
    where c.n > v_from::bigint and c.n <= (
      select max(p.n) from (select p.n from ${s}.tally_change p where p.n > v_from::bigint order by p.n limit v_most) p)
    returning c.n, c.type_name, c.status, c.count),
  added as (
    insert into ${s}.tally as t (type_name, status, count)
    select g.type_name, g.status, sum(g.count) from gone g group by g.type_name, g.status order by g.type_name, g.status
    on conflict (type_name, status) do update set count = t.count + excluded.count)
  select count(*), max(g.n) into v_added, v_reached from gone g;
${finish("coalesce(v_reached, v_from)")}
  return query select v_added, (v_added >= v_most)::integer;`,
  });
}

/** The sums plus the changes that were not added yet, both from the snapshot of the calling statement. */
export function talliedFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "tallied_v1",
    parameters: "",
    returns: "table(type_name text, status smallint, count numeric)",
    isStable: true,
    declare: `  v_floor bigint := (select u.floor from ${s}.upkeep u where u.chore = 'tally');`,
    body: `  return query
  select t.type_name, t.status, sum(t.count)
  from (
    select t.type_name, t.status, t.count from ${s}.tally t
    union all
    select c.type_name, c.status, c.count from ${s}.tally_change c where c.n > v_floor) t
  group by t.type_name, t.status having sum(t.count) <> 0;`,
  });
}
