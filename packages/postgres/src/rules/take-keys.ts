import type { Schema } from "../schema.ts";
import { givenStarts } from "./begin.ts";
import { innerFunction } from "../sql-function.ts";

/**
 * Takes the deduplication keys of starts. `firsts` has, by key, the start that took it in this call; `holders` has the chain that
 * already held it. Such a chain cannot be deleted before the transaction ends, but its jobs continue.
 */
export function takeKeysFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "take_keys_v1",
    parameters: `p_now double precision, p_starts jsonb, p_skip integer[], out keys text[], out firsts uuid[], out holders uuid[]`,
    returns: "record",
    declare: `  v_start record;
  v_holder uuid;
  v_there uuid[];
  v_gone uuid[] := '{}';`,
    body: `  keys := '{}';
  loop
    -- In the order of the keys, so that two batches that share keys wait for each other in one direction only.
    for v_start in
      select distinct on (i.key) i.*
      from ${givenStarts}
      where i.scope < 2 and i.key <> all(keys) and i.call <> all(p_skip)
      order by i.key, i.n
    loop
      loop
        -- Waits for an uncommitted transaction that took the key. If it rolls back, this start gets the key.
        v_holder := null;
        insert into ${s}.deduplication (key, chain_id, scope, until)
        values (v_start.key, v_start.id, v_start.scope, p_now + v_start."window")
        on conflict (key) do nothing;
        exit when found;
        update ${s}.deduplication d set chain_id = v_start.id, scope = v_start.scope, until = p_now + v_start."window"
        where d.key = v_start.key and (d.until <= p_now or d.chain_id = any(v_gone));
        exit when found;
        select d.chain_id into v_holder from ${s}.deduplication d where d.key = v_start.key;
        exit when found;
      end loop;
      keys := keys || v_start.key;
      firsts := firsts || case when v_holder is null then v_start.id end;
      holders := holders || v_holder;
    end loop;
    v_there := array(select f.id from ${s}.job f where f.id = any(holders) order by f.id for key share);
    v_gone := array(select h.id from unnest(holders) as h(id) where h.id is not null and h.id <> all(v_there));
    exit when v_gone = '{}';
    -- These chains were deleted after their keys were read: the keys are free now, or other chains hold them.
    select coalesce(array_agg(k.key), '{}'), array_agg(k.first), array_agg(k.holder) into keys, firsts, holders
    from unnest(keys, firsts, holders) as k(key, first, holder) where k.holder is null or k.holder <> all(v_gone);
  end loop;`,
  });
}
