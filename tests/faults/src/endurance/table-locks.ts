import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "pg";
import type { LockWatch } from "./migrated-store.ts";

const sampleMs = 3;
const strongLocks = `select c.relname as name, l.mode from pg_locks l
  join pg_class c on c.oid = l.relation and c.relkind = 'r' and c.relnamespace = 'chainwright'::regnamespace
  join pg_stat_activity a on a.pid = l.pid and a.backend_type = 'client backend'
  where l.granted and l.mode in ('AccessExclusiveLock', 'ExclusiveLock', 'ShareRowExclusiveLock', 'ShareLock')`;

/** Watches, on a connection of its own, how long the tables of the schema have strong locks. */
export function watchLocks(client: Client): LockWatch {
  const over = new AbortController();
  const since = new Map<string, number>();
  const longest = new Map<string, number>();
  const sample = async (): Promise<void> => {
    const { rows } = await client.query<{ name: string; mode: string }>(strongLocks);
    const now = performance.now();
    const held = new Set(rows.map(({ name, mode }) => `${name} ${mode}`));
    for (const each of since.keys()) if (!held.has(each)) since.delete(each);
    for (const each of held) {
      const began = since.get(each) ?? now - sampleMs;
      since.set(each, began);
      longest.set(each, Math.max(longest.get(each) ?? 0, now - began));
    }
  };
  const watching = (async () => {
    while (!over.signal.aborted) {
      await sample();
      await delay(sampleMs);
    }
  })();
  return {
    end: async () => {
      over.abort();
      await watching;
      return longest;
    },
  };
}
