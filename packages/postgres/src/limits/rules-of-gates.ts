import { effective, gateSeparator, limitOf } from "./tables.ts";

/** The number of places of a limit without one. */
const endless = 2_147_483_647;

/** SQL for the gates of a job, from its stored limits. */
export const gatesOf = (limits: string) => `array(
        select (e.pair->>0) || ${gateSeparator} || (e.pair->>1)
        from json_array_elements(${limits}::json->'keys') with ordinality as e(pair, n) order by e.n)`;

/** What `shut` is for a gate whose breaker is half open: it lets one job begin if no probe runs, see `may_probe_v1`. */
export const halfOpen = -1;

/** How many places a gate has. */
export const placesOfGate = `coalesce(${effective.concurrency}, ${endless})`;

/**
 * What counts for a gate: how many places and tokens it has (null: it has no rate), how long a token rests, until when it is shut, and
 * whether failures count that may shut it.
 * A limit that no one has declared lets nothing through. Needs `p_now`.
 */
export const ruleColumns = `${placesOfGate} as places,
        case when ${effective.rateSpread} then 1 else ${effective.rateCount} end as tokens,
        ${effective.ratePerMs} / case when ${effective.rateSpread} then ${effective.rateCount} else 1 end as rest,
        case when not coalesce(r.is_declared, false) then 'Infinity' when ${effective.shutUntil} > p_now then ${effective.shutUntil}
          when k.open_until is not null then ${halfOpen} end as shut,
        coalesce(k.failed_until > p_now, false) as has_failed`;

/** Joins the rules of gates `g`. */
export const rulesOf = (s: string) => `left join ${s}.limit_rule r on r.name = any(array[${limitOf("g.gate")}])
      left join ${s}.gate_rule k on k.gate = any(array[g.gate])`;
