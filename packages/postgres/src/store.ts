import type { CallOptions } from "chainwright/adapter";
import type { PostgresQuery, PostgresRow } from "./driver.ts";
import { noTransaction } from "./errors.ts";
import type { ClaimStart } from "./claim-start.ts";
import type { TransactionHandles } from "./transaction-handles.ts";
import type { Schema } from "./schema.ts";

/** What operations work with. */
export interface Store<Tx> {
  readonly schema: Schema;
  readonly claimStart: ClaimStart;
  /** The text of the statement of `startOne`. */
  readonly startOneText: string;
  readonly handles: TransactionHandles;
  /**
   * Runs a statement inside `tx`, or by itself. By itself it must run at read committed; if it reports another isolation level, it
   * is sent again in an explicit transaction, see `guard`.
   */
  run(tx: Tx | undefined, statement: PostgresQuery): Promise<readonly PostgresRow[]>;
  /** Takes over a promise that no caller waits for and that never rejects. */
  inBackground(work: Promise<void>): void;
}

export interface FunctionCall {
  readonly name: string;
  readonly parameters: readonly (string | null)[];
}

/** Calls one of the functions that the migration installed. The first two parameters are the same for all of them. */
export function call<Tx>(
  store: Store<Tx>,
  functionCall: FunctionCall,
  options: CallOptions<Tx>,
): Promise<readonly PostgresRow[]> {
  return callAll(store, [functionCall], options);
}

/** Makes several calls in one statement. They run in the given order, and each sees what those before it wrote. */
export function callAll<Tx>(
  store: Store<Tx>,
  calls: readonly FunctionCall[],
  { tx, now, waitMs }: CallOptions<Tx>,
): Promise<readonly PostgresRow[]> {
  const { schema, run, handles } = store;
  const parameters: (string | null)[] = [];
  const selects = calls.map((each) => {
    const first = parameters.length + 3;
    parameters.push(...each.parameters);
    const places = each.parameters.map((_, index) => `, $${first + index}`).join("");
    return `select * from ${schema.quoted}.${each.name}($1, $2${places})`;
  });
  const text = selects.join(" union all ");
  const alone = tx === undefined ? waitParameter(waitMs) : null;
  const statement = (sql: string): PostgresQuery => ({
    text: sql,
    parameters: [alone, momentParameter(now), ...parameters],
    prepare: true,
  });
  if (tx === undefined || !handles.isGiven(tx)) return run(tx, statement(text));
  return callInside(store, tx, statement(onlyInside(schema, text)));
}

/**
 * A statement that makes the calls only inside a transaction. The first column is the transaction's id. The join evaluates the calls
 * only for a row with an id; `offset 0` keeps the planner from evaluating them first.
 */
function onlyInside({ quoted: s }: Schema, calls: string): string {
  return `select i.id, c.*
from ${s}.transaction_id_v1() as i(id) left join lateral (select '1' as is_row, c.* from (${calls}) c where i.id is not null offset 0) c on true`;
}

/**
 * Makes calls inside a transaction that the application opened. If that transaction has ended, the calls must not run, because they
 * would be committed by themselves. A transaction that has written is recognized at once, another one at the second try.
 */
async function callInside<Tx>(
  { run, handles }: Store<Tx>,
  tx: Tx,
  statement: PostgresQuery,
): Promise<readonly PostgresRow[]> {
  for (let times = 0; times < 2; times += 1) {
    const rows = await run(tx, statement);
    const id = rows[0]?.[0];
    if (typeof id !== "string") continue;
    handles.note(tx, id);
    return rows.filter((row) => row[1] !== null).map((row) => row.slice(2));
  }
  throw noTransaction();
}

/** How long a call by itself waits for a lock, as the parameter `p_alone` of `guard`. */
function waitParameter(waitMs: number | undefined): string {
  return waitMs === undefined ? "0" : String(Math.max(1, Math.ceil(waitMs)));
}

/** The parameter for the moment of a call; null means the server's clock. */
export function momentParameter(now: number | undefined): string | null {
  return now === undefined ? null : String(now);
}
