import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Examiner, OpenStore, StorePlace } from "../store/open-store.ts";
import { examineStore, openStore, prepareStore } from "../store/place.ts";
import { connectToPostgres } from "../store/postgres-client.ts";
import type { PostgresPlace } from "../store/postgres-client.ts";
import { withPostgres } from "../store/with-postgres.ts";
import { createTime } from "./hurried-clock.ts";
import type { Time } from "./hurried-clock.ts";
import { openOverNetwork } from "./network-postgres.ts";
import type { NetworkAccident } from "./network-postgres.ts";
import { openTrippedPostgres } from "./tripped-postgres.ts";
import { openTrippedSqlite } from "./tripped-sqlite.ts";
import type { TrippedStore } from "./tripped-store.ts";
import type { Accident } from "./tripwire.ts";

/** A store on which accidents happen one after the other. */
export interface Bench<Kind extends string> {
  readonly time: Time;
  readonly examiner: Examiner;
  /** The client of an operator's process, which has no accidents. */
  readonly whole: OpenStore;
  /** Opens the store like a new process that will have an accident. */
  readonly open: (accident: Kind, at: number) => Promise<TrippedStore>;
  readonly close: () => Promise<void>;
}

/** For accidents at statements, with its own SQLite file. */
export async function createSqliteBench(): Promise<Bench<Accident>> {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-points-"));
  const place = { kind: "sqlite", path: join(folder, "jobs.db"), library: "better-sqlite3" } as const;
  return createBench(place, {
    open: async (accident, at) => openTrippedSqlite(place, { accident, at }),
    end: async () => rmSync(folder, { recursive: true, force: true }),
  });
}

/** For accidents at statements, with its own schema. */
export async function createPostgresBench(url: string): Promise<Bench<Accident>> {
  const place = placeAt(url, "pg");
  // One pool for the whole bench, because its connections have no accidents.
  const { driver, end } = connectToPostgres({ ...place, poolSize: 10 });
  return createBench(place, {
    open: async (accident, at) => openTrippedPostgres(driver, place.schema, { accident, at }),
    end: async () => {
      await driver.close();
      await end();
      await drop(place);
    },
  });
}

/** For accidents between a client library and the server, with its own schema. */
export async function createNetworkBench(
  url: string,
  library: PostgresPlace["library"],
): Promise<Bench<NetworkAccident>> {
  const place = placeAt(url, library);
  return createBench(place, {
    open: (accident, at) => openOverNetwork(place, { accident, at }),
    end: () => drop(place),
  });
}

function placeAt(url: string, library: PostgresPlace["library"]): PostgresPlace {
  return { kind: "postgres", url, schema: `points_${process.pid}_${Date.now()}`, poolSize: 4, library };
}

async function drop({ url, schema }: PostgresPlace): Promise<void> {
  await withPostgres(url, (client) => client.query(`drop schema ${schema} cascade`));
}

async function createBench<Kind extends string>(
  place: StorePlace,
  { open, end }: Pick<Bench<Kind>, "open"> & { readonly end: () => Promise<void> },
): Promise<Bench<Kind>> {
  await prepareStore(place);
  const whole = { ...openStore(place), notifyAdapter: undefined };
  const examiner = await examineStore(place);
  return {
    time: createTime(),
    examiner,
    whole,
    open,
    close: async () => {
      await whole.close();
      await examiner.close();
      await end();
    },
  };
}
