import type { PageQuery } from "chainwright/adapter";
import type { SqliteValue } from "../driver.ts";

/** Conditions with their parameters, gathered from the filters that a query has. */
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

/** A condition on a column that is one of many values. */
export function within(filter: Filter, column: string, values: readonly string[] | undefined): void {
  if (values !== undefined) filter.and(`${column} in (select value from json_each(?))`, JSON.stringify(values));
}

/** A condition on a text column, which has to contain exactly this text. */
export function containing(filter: Filter, column: string, text: string | undefined): void {
  if (text !== undefined) filter.and(`instr(${column}, ?) > 0`, text);
}

/** Adds the page's own condition; returns the `order by` and `limit`. */
export function paged(filter: Filter, column: string, { after, order }: PageQuery): string {
  const ascending = order === "ascending";
  if (after !== undefined) filter.and(`${column} ${ascending ? ">" : "<"} ?`, after);
  return `order by ${column}${ascending ? "" : " desc"} limit ?`;
}
