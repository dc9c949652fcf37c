import type { PageQuery } from "chainwright/adapter";
import type { SqliteValue } from "../driver.ts";

/** Conditions and their parameters, collected from the filters of a query. */
export interface Filter {
  and(condition: string, ...parameters: SqliteValue[]): void;
  readonly text: string;
  readonly parameters: readonly SqliteValue[];
}

export function createFilter(first: string): Filter {
  const conditions = [first];
  const parameters: SqliteValue[] = [];
  return {
    and: (condition, ...values) => {
      conditions.push(condition);
      parameters.push(...values);
    },
    get text() {
      return conditions.join(" and ");
    },
    parameters,
  };
}

/** A condition that a column has one of several values. */
export function within(filter: Filter, column: string, values: readonly string[] | undefined): void {
  if (values !== undefined) filter.and(`${column} in (select value from json_each(?))`, JSON.stringify(values));
}

/** A condition that a text column contains exactly this text. */
export function containing(filter: Filter, column: string, text: string | undefined): void {
  if (text !== undefined) filter.and(`instr(${column}, ?) > 0`, text);
}

/** Adds the page's own condition; returns the `order by` and `limit`. */
export function paged(filter: Filter, column: string, { after, order }: PageQuery): string {
  const ascending = order === "ascending";
  if (after !== undefined) filter.and(`${column} ${ascending ? ">" : "<"} ?`, after);
  return `order by ${column}${ascending ? "" : " desc"} limit ?`;
}
