import { lastStep, ownPosition } from "./tables.ts";

/**
 * Writes what starts say about the ends of their chains. `starts` is a query for the ids of the chains and their `ends`, which is
 * null for most of them.
 */
export function noteEnds(s: string, starts: string, now: string): string {
  return `    insert into ${s}.compensation (chain_id, step, position, body)
    select i.id, ${lastStep}, ${ownPosition}, i.ends->>'stopped' from (${starts}) i where i.ends->>'stopped' is not null;
    insert into ${s}.deadline (chain_id, at)
    select i.id, coalesce((i.ends->>'at')::double precision, ${now} + (i.ends->>'after')::double precision)
    from (${starts}) i where i.ends->>'at' is not null or i.ends->>'after' is not null;`;
}
