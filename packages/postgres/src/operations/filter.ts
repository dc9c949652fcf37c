import type { PageQuery } from "chainwright/adapter";

/** The conditions of a query, with their parameters. */
export interface Filter {
  readonly conditions: string[];
  readonly parameters: (string | null)[];
}

/** Adds a condition, in which `place` is the parameter. */
export function where(filter: Filter, parameter: string, condition: (place: string) => string): void {
  filter.parameters.push(parameter);
  filter.conditions.push(condition(`$${filter.parameters.length}::text`));
}

/** Whether a filter by status selects only failed and cancelled jobs or chains, which have a table of their own. */
export function areStopped(statuses: readonly string[] | undefined): boolean {
  return statuses?.every((status) => status === "failed" || status === "cancelled") === true;
}

/** The column's value is one of a list of texts. */
export function whereOneOf(filter: Filter, column: string, values: readonly string[] | undefined): void {
  if (values === undefined) return;
  where(
    filter,
    JSON.stringify(values),
    (place) => `${column} = any(array(select json_array_elements_text(${place}::json)))`,
  );
}

interface CreatedQuery {
  readonly createdFrom: number | undefined;
  readonly createdBefore: number | undefined;
}

export function whereCreated(filter: Filter, column: string, { createdFrom, createdBefore }: CreatedQuery): void {
  if (createdFrom !== undefined)
    where(filter, String(createdFrom), (place) => `${column} >= ${place}::double precision`);
  if (createdBefore !== undefined)
    where(filter, String(createdBefore), (place) => `${column} < ${place}::double precision`);
}

type Within = Pick<PageQuery, "after" | "order"> & { readonly until?: string | undefined };

/** The id column of this type is in the part that a page may be of. */
export function whereWithin(
  filter: Filter,
  column: string,
  { after, until, order }: Within,
  type: "uuid" | "text" = "uuid",
): void {
  const ascending = order === "ascending";
  if (after !== undefined) where(filter, after, (place) => `${column} ${ascending ? ">" : "<"} ${place}::${type}`);
  if (until !== undefined) where(filter, until, (place) => `${column} ${ascending ? "<=" : ">="} ${place}::${type}`);
}

/** The end of a statement that reads a page in the order of an id column of this type. */
export function page(
  filter: Filter,
  column: string,
  query: Within & Pick<PageQuery, "limit">,
  type: "uuid" | "text" = "uuid",
): string {
  const { limit, order } = query;
  whereWithin(filter, column, query, type);
  const conditions = filter.conditions.length === 0 ? "true" : filter.conditions.join(" and ");
  filter.parameters.push(String(limit));
  return `where ${conditions} order by ${column} ${order === "ascending" ? "asc" : "desc"} limit $${filter.parameters.length}::text::bigint`;
}
