import type { CallOptions } from "chainwright";
import type { PostgresQuery, PostgresRow } from "./driver.ts";
import type { Front } from "./front.ts";
import type { Schema } from "./schema.ts";

/** What an operation has at hand. */
export interface Store<Tx> {
  readonly schema: Schema;
  readonly front: Front;
  /**
   * Runs a statement inside `tx`, or by itself. The statement may depend on which: `alone` is "1" where it must not run but
   * read committed, see `guard`.
   */
  run(tx: Tx | undefined, statement: (alone: "1" | null) => PostgresQuery): Promise<readonly PostgresRow[]>;
}

export interface FunctionCall {
  readonly name: string;
  readonly parameters: readonly (string | null)[];
}

/** Calls one of the functions that the migration installed; its first two parameters are the same everywhere. */
export function call<Tx>(
  store: Store<Tx>,
  functionCall: FunctionCall,
  options: CallOptions<Tx>,
): Promise<readonly PostgresRow[]> {
  return callAll(store, [functionCall], options);
}

/** Several calls in one statement: they run in the order in which they stand, each seeing what those before it wrote. */
export function callAll<Tx>(
  { schema, run }: Store<Tx>,
  calls: readonly FunctionCall[],
  { tx, now }: CallOptions<Tx>,
): Promise<readonly PostgresRow[]> {
  const parameters: (string | null)[] = [];
  const selects = calls.map((each) => {
    const first = parameters.length + 3;
    parameters.push(...each.parameters);
    const places = each.parameters.map((_, index) => `, $${first + index}`).join("");
    return `select * from ${schema.quoted}.${each.name}($1, $2${places})`;
  });
  const text = selects.join(" union all ");
  const moment = momentParameter(now);
  return run(tx, (alone) => ({ text, parameters: [alone, moment, ...parameters], prepare: true }));
}

/** Null: the store's own time counts. */
export function momentParameter(now: number | undefined): string | null {
  return now === undefined ? null : String(now);
}
