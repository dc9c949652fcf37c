import type { Schema } from "./schema.ts";

/*
 * How SQL is written here: where an indexed column equals a value of another row, the condition is `o.job_id = any(array[i.id])`,
 * so that the planner has no other way than the index. With a plain equality it may also read the whole index in order and
 * look up each row among the few others. Over a table that was empty when the plan was made that costs least, and the plan
 * stays until statistics are gathered: with 20,000 waiting jobs a renewal of ten leases read 39,000 pages, the end of a
 * blocker 20,000.
 */

interface FunctionText {
  readonly name: string;
  readonly parameters: string;
  readonly returns: string;
  /** Whether it only reads, in the snapshot of the statement that calls it. */
  readonly isStable?: boolean;
  readonly declare: string;
  readonly body: string;
}

/** A function that only other functions call: it runs under the settings of those. */
export function innerFunction(schema: Schema, text: FunctionText): string {
  return define(schema, text, []);
}

/**
 * A function that adapters call. Its plans are made once a connection and never fall back to reading a table whole, however
 * small the table was at that moment, and nothing on the caller's search path can stand in for what it means.
 */
export function outerFunction(schema: Schema, text: FunctionText): string {
  return define(schema, text, [
    "set search_path = pg_catalog, pg_temp",
    "set enable_seqscan = off",
    "set enable_hashjoin = off",
    "set enable_mergejoin = off",
    "set plan_cache_mode = force_generic_plan",
    "set jit = off",
  ]);
}

/** For functions that insert only: each setting costs a call about a microsecond. */
export function lightFunction(schema: Schema, text: FunctionText): string {
  return define(schema, text, ["set search_path = pg_catalog, pg_temp"]);
}

function define(
  { quoted: s }: Schema,
  { name, parameters, returns, isStable, declare, body }: FunctionText,
  settings: readonly string[],
): string {
  const text = `#variable_conflict use_column
declare
${declare}
begin
${body}
end`;
  const tag = dollarTag(text);
  return [
    `create or replace function ${s}.${name}(${parameters}) returns ${returns}`,
    `language plpgsql ${isStable === true ? "stable" : "volatile"}`,
    ...settings,
    `as ${tag}`,
    `${text} ${tag}`,
  ].join("\n");
}

/** A schema may be called anything, also what a dollar quote looks like. */
function dollarTag(text: string): string {
  let tag = "$body$";
  for (let n = 1; text.includes(tag); n += 1) tag = `$body${n}$`;
  return tag;
}

/** The store's time, unless a test gives its own. */
export const nowOf = (parameter: string) =>
  `coalesce(${parameter}::double precision, floor(date_part('epoch', clock_timestamp()) * 1000))`;

/**
 * A variable before the first position that a chain takes: from here on other sessions see that its transaction is under way,
 * so that upkeep does not pass by a place that is still to be filled. See `settledPositionFunction`.
 */
export const underWay = `  v_under_way xid8 := pg_current_xact_id();
`;

/** SQLSTATE of a refusal on its way out of a savepoint; its detail is the refusal as JSON. */
export const refusalState = "CW001";
/** SQLSTATE of a call that runs by itself under an isolation level other than read committed. */
export const isolationState = "CW002";

/**
 * Whether what others have committed since the transaction began stays unseen. Only in a transaction of the application's own:
 * what it writes is right, what it looks for may be missing.
 */
export const seesThePast = "current_setting('transaction_isolation') <> 'read committed'";

/**
 * What every call begins with; `alone` is null inside a caller's transaction, whose isolation level and limits count.
 *
 * A call by itself has to run read committed: every write relies on each statement seeing what was committed before it. Under
 * another default level it is sent again inside an explicit transaction. `alone` is then how long the call may wait for a lock,
 * in milliseconds; 0: as long as the server is set to.
 */
export const guard = (alone: string) => `  if ${alone} is not null then
    if ${seesThePast} then
      raise exception 'not read committed' using errcode = '${isolationState}';
    end if;
    if ${alone} <> '0' then
      perform set_config('lock_timeout', ${alone}, true);
    end if;
  end if;`;
