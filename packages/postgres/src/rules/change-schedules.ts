import { resultColumns, resultRow } from "../result-rows.ts";
import type { Schema } from "../schema.ts";
import { guard, now, outerFunction } from "../sql-function.ts";

/** A change as a record of the parameter `p_changes`. `next` is the next tick that it was computed from, `new_next` the new one. */
const changeRecord = `n integer, id text, is_new boolean, is_deleted boolean, revision integer, next double precision, type text, owner text,
  declared text, override text, paused_at double precision, paused_reason text, new_next double precision, tz text`;

const givenChanges = `jsonb_to_recordset(v_changes) as c(${changeRecord})`;

/** SQLSTATE with which changes are rolled back, to be repeated, because another transaction has created one of their schedules. */
const createdState = "CW004";

/** Rule "change schedules": creates, changes and deletes schedules. All or nothing. */
export function changeSchedulesFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "change_schedules_v1",
    parameters: "p_alone text, p_now text, p_changes text",
    returns: `table(${resultColumns})`,
    declare: `  v_now double precision := ${now};
  v_changes jsonb := p_changes::jsonb;
  v_bad record;
  v_created integer;`,
    body: `${guard}
  loop
    begin
${lockAndCheck(s)}
${write(s)}
      exit;
    exception when sqlstate '${createdState}' then null;
    end;
  end loop;
  return query
  select ${resultRow("changed", { n: "c.n", revision: "case when not c.is_deleted then coalesce(c.revision, 0) + 1 end" })}
  from ${givenChanges} order by c.n;`,
  });
}

/** Locks in the order of the ids, so that two calls wait for each other in one direction only. */
function lockAndCheck(s: string): string {
  return `      perform from ${s}.schedule s where s.id = any(array(select c.id from ${givenChanges})) order by s.id for update;
      select c.id, s.revision as actual,
        case when c.is_new then 'duplicate-id' when s.id is null then 'schedule-not-found' else 'schedule-changed' end as code
      into v_bad
      from ${givenChanges} left join ${s}.schedule s on s.id = any(array[c.id])
      where case when c.is_new then s.id is not null
        else s.id is null or s.revision <> c.revision or s.next_at is distinct from c.next end
      order by c.n limit 1;
      if found then
        return query select ${resultRow("refused", {
          n: "null",
          refusal: `json_build_object('id', v_bad.id, 'code', v_bad.code,
            'actual', case v_bad.code when 'schedule-changed' then v_bad.actual::text end)::text`,
        })};
        return;
      end if;`;
}

function write(s: string): string {
  return `      insert into ${s}.schedule (id, revision, type_name, owner, declared, override, paused_at, paused_reason, next_at, tz_version,
        created_at, updated_at)
      select c.id, 1, c.type, c.owner, c.declared, c.override, c.paused_at, c.paused_reason, c.new_next, c.tz, v_now, v_now
      from ${givenChanges} where c.is_new order by c.id collate "C"
      on conflict (id) do nothing;
      get diagnostics v_created = row_count;
      if v_created < (select count(*) from ${givenChanges} where c.is_new) then
        raise exception 'created meanwhile' using errcode = '${createdState}';
      end if;
      update ${s}.schedule s set revision = s.revision + 1, type_name = c.type, owner = c.owner, declared = c.declared,
        override = c.override, paused_at = c.paused_at, paused_reason = c.paused_reason, next_at = c.new_next, tz_version = c.tz,
        updated_at = v_now
      from ${givenChanges} where s.id = any(array[c.id]) and not c.is_new and not c.is_deleted;
      delete from ${s}.schedule s using ${givenChanges} where s.id = any(array[c.id]) and c.is_deleted;`;
}
