/*
 * Claims of many names: a worker may handle many types in several versions and pools, of which few have jobs at a time. Such a claim
 * looks at the first names that it asks for. If these do not fill it, it finds out which names have jobs at all, and begins again
 * with them. With 1,200 names of which 10 have jobs, it reads 4 times the pages of a claim of these 10 at
 * most, and not 40 times.
 */

/** Beyond this many names it looks at the first ones first. Below it is cheaper to look at all of them. */
export const manyNames = 128;
const firstNames = 16;
/** If more names than this have jobs, the claim looks at all names. */
const mostPresent = 100;

/** Variables of `claim_any_v1` about its names, which are null where they are paused. `v_asked` is null unless it asks for many names. */
export const manyVariables = `  v_asked text[];
  v_asked_leases double precision[];
  v_is_first_look boolean;
  v_sorted text[];
  v_present text[];
  v_name text collate "C";
  v_place integer;`;

/** With known places (`p_start`) it looks at all names: the way to the next name would lead over the entries of jobs that have ended. */
export const beginWithFirstNames = `  if cardinality(v_types) > ${manyNames} then
    v_asked := v_types;
    v_asked_leases := v_leases;
    v_is_first_look := v_start_at is null;
    if v_is_first_look then
      v_types := v_asked[:${firstNames}];
      v_leases := v_asked_leases[:${firstNames}];
    end if;
  end if;`;

/** After the first priority: begins again with the names that have jobs. */
export function beginAgainWithPresentNames(s: string): string {
  return `    if v_is_first_look then
      exit when v_left = 0;
      v_is_first_look := false;
${findPresent(`least(
          (select o.type_name from ${s}.open_job o
            where o.state = 0 and o.rank = -1 and o.type_name >= v_name order by o.type_name limit 1),
          (select o.type_name from ${s}.open_job o
            where o.state = 0 and o.rank <> -1 and o.type_name >= v_name order by o.type_name limit 1))`)}
      if v_present is null then
        v_types := v_asked;
        v_leases := v_asked_leases;
      else
        select coalesce(array_agg(t.type_name order by t.n), '{}'), coalesce(array_agg(t.lease order by t.n), '{}')
        into v_types, v_leases
        from unnest(v_asked, v_asked_leases) with ordinality as t(type_name, lease, n) where t.type_name = any(v_present);
        exit when v_types = '{}';
      end if;
      v_rank := null;
      v_next_ranks := null;
      v_ranks := '{}';
    end if;`;
}

/** Leaves of the names that the claim asks for those that have scheduled jobs. */
export function keepScheduledNames(s: string): string {
  return `    if v_asked is not null then
${findPresent(`(select o.type_name from ${s}.open_job o
          where o.state = 1 and o.type_name >= v_name and o.due_at >= v_due_until order by o.type_name limit 1)`)}
      v_asked := coalesce(v_present, v_asked);
    end if;`;
}

/**
 * Notes which of the names have jobs, in `v_present`; null: too many of them. `next` is the first name that has jobs and is not before
 * `v_name`. So each step either finds a name or passes all names before the next one that has jobs.
 */
function findPresent(next: string): string {
  return `      v_sorted := coalesce(v_sorted, array(select distinct t.type_name collate "C" from unnest(v_asked) as t(type_name) where t.type_name is not null order by 1));
      v_present := '{}';
      v_name := v_sorted[1];
      for i in 1 .. ${mostPresent} loop
        select ${next} into v_name;
        exit when v_name is null;
        v_place := width_bucket(v_name, v_sorted);
        if v_sorted[v_place] = v_name then
          v_present := v_present || v_name::text;
        end if;
        v_name := v_sorted[v_place + 1];
        exit when v_name is null;
      end loop;
      if v_name is not null then
        v_present := null;
      end if;`;
}
