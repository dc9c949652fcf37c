import type { RollingPlace } from "./place.ts";
import { openPostgres } from "./postgres-store.ts";
import type { RollingStore } from "./rolling-store.ts";
import { openSqlite } from "./sqlite-store.ts";

export function openStore(place: RollingPlace, connections: number): RollingStore {
  return place.kind === "postgres" ? openPostgres(place.url, connections) : openSqlite(place.path);
}
