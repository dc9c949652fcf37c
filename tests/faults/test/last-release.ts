import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as postgresPackage from "@chainwright/postgres";
import type * as pgDriver from "@chainwright/postgres/pg";
import type * as sqlitePackage from "@chainwright/sqlite";
import type * as sqliteDriver from "@chainwright/sqlite/better-sqlite3";
import type { StateAdapter } from "chainwright";
import { installLastRelease } from "../src/rolling/last-release.ts";

/** A store for one case, as the suites of the last release take it. */
export interface Backend<Tx> {
  readonly adapter: StateAdapter<Tx>;
  readonly connect: () => Promise<StateAdapter<Tx>>;
  readonly userTable: {
    readonly write: (tx: Tx, key: string, value: string) => Promise<void>;
    readonly read: (key: string) => Promise<readonly string[]>;
  };
  readonly close: () => Promise<void>;
}

interface Case {
  readonly name: string;
  readonly skipped: string | undefined;
  run(): Promise<void>;
}

type Without = Readonly<Record<string, string>>;

interface Suites {
  stateConformance<Tx>(options: { createAdapter: () => Promise<Backend<Tx>>; without: Without }): readonly Case[];
  behaviourConformance<Tx>(options: { createState: () => Promise<Backend<Tx>>; without: Without }): readonly Case[];
}

/** The packages of the last release, of which each uses the others. */
export type LastRelease = Suites & Adapters;

/** What both releases have to open a store. */
export type Adapters = Pick<typeof postgresPackage, "createPostgresStateAdapter"> &
  Pick<typeof pgDriver, "pg"> &
  Pick<typeof sqlitePackage, "createSqliteStateAdapter"> &
  Pick<typeof sqliteDriver, "betterSqlite3">;

const doors = [
  "@chainwright/conformance",
  "@chainwright/postgres",
  "@chainwright/postgres/pg",
  "@chainwright/sqlite",
  "@chainwright/sqlite/better-sqlite3",
];

/** Installs the last release in a folder and loads it. */
export async function openLastRelease(folder: string): Promise<LastRelease> {
  const { resolve } = createRequire(join(installLastRelease(folder), "operator-process.ts"));
  const modules = await Promise.all(
    doors.map((door) => import(/* @vite-ignore */ pathToFileURL(resolve(door)).href) as Promise<object>),
  );
  return Object.assign({}, ...modules) as LastRelease;
}
