import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "pg";
import type { Examiner, OpenStore, StorePlace } from "../store/open-store.ts";
import { examineStore, openStore, prepareStore } from "../store/place.ts";
import { createTime } from "./hurried-clock.ts";
import type { Time } from "./hurried-clock.ts";
import { openTrippedPostgres } from "./tripped-postgres.ts";
import { openTrippedSqlite } from "./tripped-sqlite.ts";
import type { TrippedStore } from "./tripped-store.ts";
import type { Accident } from "./tripwire.ts";

/** A store on which one accident after the other happens. */
export interface Bench {
  readonly time: Time;
  readonly examiner: Examiner;
  /** Of an operator's process, to which nothing happens. */
  readonly whole: OpenStore;
  /** Opens the store as a new process does that will meet with an accident. */
  readonly open: (accident: Accident, at: number) => TrippedStore;
  readonly close: () => Promise<void>;
}

/** With a URL on Postgres, else on a SQLite file of its own. */
export async function createBench(url: string | undefined): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-points-"));
  const schema = `points_${process.pid}_${Date.now()}`;
  const place: StorePlace =
    url === undefined
      ? { kind: "sqlite", path: join(folder, "jobs.db"), library: "better-sqlite3" }
      : { kind: "postgres", url, schema, poolSize: 4 };
  await prepareStore(place);
  const pool = place.kind === "postgres" ? new Pool({ connectionString: place.url, max: 10 }) : undefined;
  const whole = { ...openStore(place), notifyAdapter: undefined };
  const examiner = await examineStore(place);
  return {
    time: createTime(),
    examiner,
    whole,
    open: (accident, at) => {
      const options = { accident, at };
      if (place.kind === "sqlite") return openTrippedSqlite(place, options);
      if (pool === undefined) throw new TypeError("there is a pool where there is a Postgres");
      return openTrippedPostgres(pool, schema, options);
    },
    close: async () => {
      await whole.close();
      await examiner.close();
      await pool?.query(`drop schema ${schema} cascade`);
      await pool?.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
