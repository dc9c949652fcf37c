import { claimName, type ClaimType } from "chainwright/adapter";
import type { Store } from "../store.ts";

/** Up to this number, types are queried one by one; with more, the query reads the types that have scheduled jobs. */
const probes = 8;

/** When the first scheduled job of these types is due; Infinity if there is none. */
export function createFirstDue(store: Store): (types: readonly ClaimType[]) => number {
  const { openJob } = store.tables;
  const nextType = store.sql<{ type_name: string }>(
    `select type_name from ${openJob} where state = 1 and type_name > ? order by type_name limit 1`,
  );
  const dueOf = store.sql<{ due: number | null }>(
    `select min(due_at) as due from ${openJob} where state = 1 and type_name = ?`,
  );

  const typesWaiting = (): readonly string[] => {
    const names: string[] = [];
    for (let next = nextType.get(""); next !== undefined; next = nextType.get(next.type_name))
      names.push(next.type_name);
    return names;
  };

  return (types) => {
    let names = types.map(claimName);
    if (names.length > probes) {
      const asked = new Set(names);
      names = typesWaiting().filter((name) => asked.has(name));
    }
    return Math.min(Infinity, ...names.map((name) => dueOf.get(name)?.due ?? Infinity));
  };
}
