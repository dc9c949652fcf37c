import { wholeMs } from "./rows.ts";

const types = {
  kind: "text",
  n: "integer",
  job_id: "uuid",
  chain_id: "uuid",
  type_name: "text",
  step: "integer",
  priority: "integer",
  attempt: "integer",
  fence: "integer",
  at: "bigint",
  wait: "bigint",
  status: "text",
  body: "text",
  extra: "text",
  context: "text",
} as const;

type Column = keyof typeof types;

/** The columns of the rows in which functions report facts; each kind of fact uses those it needs. */
export const factColumns = Object.entries(types)
  .map(([column, type]) => `${column} ${type}`)
  .join(", ");

/** The select list of a fact: the expressions given, nulls for the rest. Moments and durations are doubles: see `wholeMs`. */
export function factRow(values: Partial<Record<Column, string>> & { readonly kind: string }): string {
  const columns = Object.keys(types) as Column[];
  return columns.map((column) => expressionOf(column, values[column])).join(", ");
}

function expressionOf(column: Column, value: string | undefined): string {
  if (value === undefined) return `null::${types[column]}`;
  return types[column] === "bigint" ? wholeMs(value) : value;
}
