import type { Schema } from "./schema.ts";

/*
 * How SQL is written here: where an indexed column equals a value of another row, the condition is `o.job_id = any(array[i.id])`,
 * so that the planner has no other way than the index. With a plain equality it may also read the whole index in order and
 * look up each row among the few others. Over a table that was empty when the plan was made that costs least, and the plan
 * stays until statistics are gathered: with 20,000 waiting jobs a renewal of ten leases read 39,000 pages, the end of a
 * blocker 20,000.
 *
 * This holds inside `exists` too, because the planner joins it like a table. And an equality that is the condition of a partial index,
 * such as `l.state = 1`, lets the planner read all of that index where the rows are known by their key: `l.state > 0 and l.state < 2`
 * does not. With 1,000 open lanes the lock of 25 of them read 10,000 pages.
 *
 * It does not hold where a statement reads only columns of an index, or wants the order of one: then the planner may read that index in
 * its order. There the row is looked up by what it cannot join: a scalar subquery, `any(array(select ...))`, or a `lateral` with
 * `offset 0`. A condition that is always true and names a column outside of the index, as `o.fence >= 0` or
 * `(b.counted or not b.counted)`, keeps it from reading the index alone. Where another index begins with a column that is compared, a sum
 * keeps it from that one (`x.kind + 0 = 2`), and where the order has to be that of one index, its columns are compared as a row
 * (`(b.chain_id, b.job_id) >= (e.chain_id, e.from_id)`). Statistics are of such a moment whenever a queue ran empty overnight: then the
 * cancellation of a chain with a blocker read 75,000 pages, and a job by its id 11,000.
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

const searchPath = "set search_path = pg_catalog, pg_temp";
const noTableScans = "set enable_seqscan = off";
const genericPlans = "set plan_cache_mode = force_generic_plan";
const noCompiling = "set jit = off";

/** A function that only other functions call. It runs with the settings of its caller. */
export function innerFunction(schema: Schema, text: FunctionText): string {
  return define(schema, text, []);
}

/**
 * A function that adapters call, or a {@link keyFunction}. Its plans are made once per connection and never read a whole table, however small the table
 * was at that moment. The caller's search path has no influence on it.
 */
export function outerFunction(schema: Schema, text: FunctionText): string {
  return define(schema, text, [
    searchPath,
    noTableScans,
    "set enable_hashjoin = off",
    "set enable_mergejoin = off",
    genericPlans,
    noCompiling,
  ]);
}

/**
 * A function that adapters call, and that finds the rows of one job by their keys: without joins, of which the planner could choose
 * another one. It has a third of the settings, because each takes 4,600 instructions per call: the plans of its first calls are made for
 * their parameters, and are the same. Functions that it calls and that join tables need settings of their own.
 */
export function keyFunction(schema: Schema, text: FunctionText): string {
  return define(schema, text, [searchPath, noTableScans]);
}

/**
 * A function that adapters call, and that finds rows by keys and by the beginnings of index ranges, where the planner has no choice
 * between joins. It reads a table whole only if that is empty, which counts as so dear that the plan would be compiled.
 */
export function rangeFunction(schema: Schema, text: FunctionText): string {
  return define(schema, text, [searchPath, noTableScans, genericPlans, noCompiling]);
}

/** A function that adapters call and that reads a whole table. */
export function scanFunction(schema: Schema, text: FunctionText): string {
  return define(schema, text, [searchPath, "set max_parallel_workers_per_gather = 0", noCompiling]);
}

/** A function that adapters call and that only inserts. It has few settings, because each costs about a microsecond per call. */
export function lightFunction(schema: Schema, text: FunctionText): string {
  return define(schema, text, [searchPath]);
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

/** A dollar quote that the text does not contain: a schema may have any name. */
export function dollarTag(text: string): string {
  let tag = "$body$";
  for (let n = 1; text.includes(tag); n += 1) tag = `$body${n}$`;
  return tag;
}

/** The moment of a call in milliseconds since 1970: the parameter of a test, otherwise the server's clock. */
export const now = "coalesce(p_now::double precision, floor(date_part('epoch', clock_timestamp()) * 1000))";

/**
 * Gives the transaction an id before the first position is taken, so that other sessions see that it is running. Otherwise
 * maintenance could pass a position whose row is not committed yet. See `settledPositionFunction`.
 */
export const underWay = `  v_under_way xid8 := pg_current_xact_id();
`;

/** SQLSTATE with which a refusal leaves a savepoint. The detail of the error is the refusal as JSON. */
export const refusalState = "CW001";
/** SQLSTATE of a call by itself that runs at another isolation level than read committed. */
export const isolationState = "CW002";

/**
 * Whether the transaction does not see what others have committed since it began. This happens only in a transaction that the
 * application opened: its writes are right, but rows that it looks for may be missing.
 */
export const seesThePast = "current_setting('transaction_isolation') <> 'read committed'";

/**
 * How every function that adapters call begins. `p_alone` is null inside a caller's transaction, whose isolation level and limits
 * apply. Otherwise it is how long the call may wait for a lock, in milliseconds; 0 means the server's own limit.
 *
 * A call by itself must run at read committed, because every write relies on each statement seeing what was committed before
 * it. At another default level it is refused, and the adapter sends it again in an explicit transaction.
 *
 * A condition takes 2,000 instructions, so the two that seldom hold are first asked as one.
 */
export const guard = `  if p_alone is not null then
    if p_alone <> '0' or ${seesThePast} then
      if ${seesThePast} then
        raise exception 'not read committed' using errcode = '${isolationState}';
      end if;
      if p_alone <> '0' then
        perform set_config('lock_timeout', p_alone, true);
      end if;
    end if;
  end if;`;
