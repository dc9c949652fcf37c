import type { Schema } from "../schema.ts";

/**
 * A chore's row in the table `upkeep`: the session that has it locked does the chore, all others leave it alone.
 *
 * Chores walk along an index and delete what they find. While a transaction keeps an old snapshot open, what they deleted
 * stays in the index, so each pass continues from `reached`, where the last one stopped. Rows that come to places before
 * that (from a transaction that took long, from a clock that was set back) are found by a pass that looks from `floor`; one
 * does so every `lookAgainMs`. No row can come to a place below `floor`.
 */
export interface Turn {
  /** Locks the row; returns from the function if another session has it. Sets `v_turn` and `v_from`. */
  readonly take: string;
  /** Stores how far this pass came. */
  readonly leave: (reached: string) => string;
}

const lookAgainMs = 30_000;

/** Variables that a function with turns declares. */
export const turnVariables = `  v_turn record;
  v_from double precision;`;

/** What the function of a chore returns: one row. */
export const passColumns = "removed integer, more integer";

/**
 * `chore` is an SQL expression. The function has `v_now` and returns `passColumns`. The floor rises only where a chore walks
 * along positions: a moment that has passed can always get another row.
 */
export function turn({ quoted: s }: Schema, chore: string, along: "moments" | "positions"): Turn {
  const [readSettled, raiseFloor] = along === "positions" ? alongPositions(s) : ["", () => ""];
  return {
    take: `  select * into v_turn from ${s}.upkeep u where u.chore = ${chore} for update skip locked;
  if not found then
    return query select 0, 0;
    return;
  end if;
  if v_now - v_turn.began_at not between 0 and ${lookAgainMs} then
    v_turn.began_at := v_now;
    v_turn.reached := v_turn.floor;${readSettled}
  end if;
  v_from := v_turn.reached;`,
    leave: (
      reached,
    ) => `  update ${s}.upkeep u set began_at = v_turn.began_at, reached = ${reached}${raiseFloor(reached)}
  where u.chore = ${chore};`,
  };
}

function alongPositions(s: string): readonly [string, (reached: string) => string] {
  return [
    `
    v_turn.settled := ${s}.settled_position_v1();`,
    (reached) => `, settled = v_turn.settled, floor = greatest(u.floor, least(${reached}, v_turn.settled))`,
  ];
}
