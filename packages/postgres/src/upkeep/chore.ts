import type { Schema } from "../schema.ts";

/**
 * A pass of a chore, which has a row in the table `upkeep`. Only the session that has locked the row does the chore.
 *
 * A chore reads an index in its order and deletes what it finds. While a transaction keeps an old snapshot open, the deleted
 * entries stay in the index, so each pass continues from `reached`, where the last one stopped. Rows that appear before that place
 * (from a transaction that took long, from a clock that was set back) are found by a pass that begins at `floor`, every
 * `lookAgainMs`. No row can appear below `floor`.
 */
export interface ChorePass {
  /** Locks the row, and sets `v_pass` and `v_from`. Returns from the function if another session has locked it. */
  readonly begin: string;
  /** Stores how far this pass came. */
  readonly finish: (reached: string) => string;
}

const lookAgainMs = 30_000;

/** The variables that the function of a chore declares. */
export const passVariables = `  v_pass record;
  v_from double precision;`;

/** The columns of the one row that the function of a chore returns. */
export const passColumns = "removed integer, more integer";

/**
 * `chore` is an SQL expression for its name. The function has the variable `v_now` and returns `passColumns`. The floor rises only if
 * the index is one of positions, because a row can still appear at a moment that has passed.
 */
export function chorePass({ quoted: s }: Schema, chore: string, along: "moments" | "positions"): ChorePass {
  const [readSettled, raiseFloor] = along === "positions" ? alongPositions(s) : ["", () => ""];
  return {
    begin: `  select * into v_pass from ${s}.upkeep u where u.chore = ${chore} for update skip locked;
  if not found then
    return query select 0, 0;
    return;
  end if;
  if v_now - v_pass.began_at not between 0 and ${lookAgainMs} then
    v_pass.began_at := v_now;
    v_pass.reached := v_pass.floor;${readSettled}
  end if;
  v_from := v_pass.reached;`,
    finish: (
      reached,
    ) => `  update ${s}.upkeep u set began_at = v_pass.began_at, reached = ${reached}${raiseFloor(reached)}
  where u.chore = ${chore};`,
  };
}

function alongPositions(s: string): readonly [string, (reached: string) => string] {
  return [
    `
    v_pass.settled := ${s}.settled_position_v1();`,
    (reached) => `, settled = v_pass.settled, floor = greatest(u.floor, least(${reached}, v_pass.settled))`,
  ];
}
