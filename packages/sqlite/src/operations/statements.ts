import type { Statement } from "../result-rows.ts";
import type { Store } from "../store.ts";

/** Statements whose text depends on the filters of a query, each prepared once. */
export function createStatements<Row>(store: Store): (text: string) => Statement<Row> {
  const statements = new Map<string, Statement<Row>>();
  return (text) => {
    const known = statements.get(text) ?? store.sql<Row>(text);
    statements.set(text, known);
    return known;
  };
}
