import { firstLookMs, lookMs } from "./reopen-lanes.ts";
import { gateSeparator, isHeld, limitOf } from "./tables.ts";

/**
 * Locks places and tokens, limit by limit, so that each gate is asked once: for as many as its lanes want. A lane gets what is left
 * after those before it. With each limit it wants as many as it got from the one before. A lane whose gate has none is closed.
 */
export function takePlaces(s: string): string {
  return `    if v_is_shut then
      for i in 1 .. cardinality(v_pair_lane) loop
        v_lane := v_pair_lane[i];
        if v_pair_shut[i] is not null and v_shut[v_lane] is null then
          v_shuts := v_shuts + 1;
          v_want[v_lane] := 0;
          v_shut[v_lane] := v_pair_gate[i];
          v_shut_state[v_lane] := 3;
          v_look[v_lane] := least(v_pair_shut[i], p_now + ${lookMs});
        end if;
      end loop;
    end if;
    foreach v_limit in array v_limits loop
${lockOrMake(s, placesOf(s))}
${shareOut(placesOf(s))}
      v_place_gate := v_place_gate || v_found_gate;
      v_place_at := v_place_at || v_found_at;
      if v_has_tokens then
${lockOrMake(s, tokensOf(s))}
${shareOut(tokensOf(s))}
        v_token_gate := v_token_gate || v_found_gate;
        v_token_at := v_token_at || v_found_at;
      end if;
    end loop;`;
}

/** Places, or tokens. */
interface Taken {
  readonly table: string;
  /** The variable with how many each pair of a lane and a gate has. */
  readonly most: string;
  /** What follows `from` in a select that locks free ones of the gates that lanes want some of. */
  readonly lock: string;
  /** The state of a lane that gets none, and when it is looked at. */
  readonly state: number;
  readonly look: string;
}

/**
 * If the limit was lowered, jobs may hold places above it. Then only so many of the lowest free ones count that no more than the limit
 * would be held.
 */
const placesOf = (s: string): Taken => ({
  table: `${s}.place`,
  most: "v_pair_places",
  lock: `${wantedOf("v_pair_places")},
        lateral (
          select case when exists (select from ${s}.place p where p.gate = g.gate and p.n > g.most and ${isHeld("p")})
            then ${s}.usable_places_v1(g.gate, g.most) else g.most end as most) u,
        lateral (
          select p.gate, p.ctid as at from ${s}.place p
          where p.gate = g.gate and p.job_id is null and p.n <= u.most
          order by p.n limit g.want for update skip locked) p`,
  state: 2,
  look: `p_now + ${firstLookMs}`,
});

/** A token that is numbered above the rate does not count. */
const tokensOf = (s: string): Taken => ({
  table: `${s}.token`,
  most: "v_pair_tokens",
  lock: `${wantedOf("v_pair_tokens")},
        lateral (
          select p.gate, p.ctid as at from ${s}.token p
          where p.gate = g.gate and p.free_at <= p_now and p.n <= g.most
          order by p.free_at limit g.want for update skip locked) p`,
  state: 3,
  look: `least(p_now + ${lookMs}, (
              select t.free_at from ${s}.token t
              where t.gate = v_of and t.free_at > p_now and t.n <= v_pair_tokens[i] order by t.free_at limit 1))`,
});

/** The gates of this limit, each with the most that it has and how many its lanes want. */
const wantedOf = (most: string) => `(
          select u.gate, min(u.most) as most, sum(v_want[u.lane])::integer as want
          from unnest(v_pair_lane, v_pair_gate, ${most}) as u(lane, gate, most)
          where ${limitOf("u.gate")} = v_limit and u.most is not null and v_want[u.lane] > 0
          group by u.gate) g`;

/** A claim makes more if fewer than are wanted are free, but once. */
function lockOrMake(s: string, { most, lock }: Taken): string {
  return `      loop
        select coalesce(array_agg(p.gate), '{}'), coalesce(array_agg(p.at), '{}'), count(*), (
          select coalesce(sum(v_want[u.lane]), 0) from unnest(v_pair_lane, v_pair_gate, ${most}) as u(lane, gate, most)
          where ${limitOf("u.gate")} = v_limit and u.most is not null)
        into v_found_gate, v_found_at, v_found, v_wanted
        from (select p.* from ${lock} order by p.gate) p;
        exit when v_has_made or v_found = v_wanted;
        perform ${s}.make_places_v1(p_now, v_asked, v_pair_lane, v_pair_gate, v_pair_places, v_pair_tokens, v_pair_shut);
        v_has_made := true;
      end loop;`;
}

/**
 * Goes through the lanes of each gate and through what was found, both in the order of the gates. A lane that is visited for jobs ahead of
 * the slots stays as it is if its gate has too few places. Another one stays open if not all places
 * of its gate are made yet: another claim has taken those that this one counted on, and the next claim makes more.
 */
const shareOut = ({ table, most, state, look }: Taken) => `      v_of := null;
      v_next := 1;
      -- If all that were wanted were found, each lane gets what it wants.
      for i in 1 .. case when v_found = v_wanted then 0 else cardinality(v_pair_lane) end loop
        continue when ${most}[i] is null or not starts_with(v_pair_gate[i], v_limit || ${gateSeparator});
        if v_pair_gate[i] is distinct from v_of then
          v_of := v_pair_gate[i];
          v_found := 0;
          while v_found_gate[v_next] = v_of loop
            v_found := v_found + 1;
            v_next := v_next + 1;
          end loop;
          v_found_all := v_found;
        end if;
        v_lane := v_pair_lane[i];
        continue when v_want[v_lane] = 0;
        if v_found_all = 0 and v_is_ahead[v_lane] then
          v_want[v_lane] := 0;
        elsif v_found_all = 0 then
          v_shuts := v_shuts + 1;
          v_want[v_lane] := 0;
          if exists (select from ${table} p where p.gate = v_of and p.n = ${most}[i]) then
            v_shut[v_lane] := v_of;
            v_shut_state[v_lane] := ${state};
            v_look[v_lane] := ${look};
          end if;
        else
          v_want[v_lane] := least(v_want[v_lane], v_found);
          v_found := v_found - v_want[v_lane];
        end if;
      end loop;`;
