import { standByPostgres, standBySqlite } from "./bystanders.ts";
import type { Bystander, Examiner, OpenStore, StorePlace } from "./open-store.ts";
import { examinePostgres } from "./postgres-oracle.ts";
import { openPostgresStore, preparePostgres } from "./postgres-store.ts";
import { examineSqlite } from "./sqlite-oracle.ts";
import { openSqliteStore, prepareSqlite } from "./sqlite-store.ts";

/** Opens the store with its notify adapter, as an application does. */
export function openStore(place: StorePlace): OpenStore {
  return place.kind === "postgres" ? openPostgresStore(place) : openSqliteStore(place);
}

/** Migrates an empty store, and adds the tables, triggers and views of the oracle. */
export async function prepareStore(place: StorePlace): Promise<void> {
  await (place.kind === "postgres" ? preparePostgres(place) : prepareSqlite(place));
}

export async function examineStore(place: StorePlace): Promise<Examiner> {
  return place.kind === "postgres" ? examinePostgres(place) : examineSqlite(place);
}

export async function openBystander(place: StorePlace): Promise<Bystander> {
  return place.kind === "postgres" ? standByPostgres(place) : standBySqlite(place);
}
