import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@chainwright/backends";
import type { Against } from "../attack/children.ts";
import { createChance } from "../attack/random.ts";
import { openCrew } from "./crew.ts";
import { readSaid, readStore } from "./evidence.ts";
import { examine } from "./examiner.ts";
import { judge, longestExchange, lostAttempts } from "./judge.ts";
import { installLastRelease } from "./last-release.ts";
import { operatorOf } from "./operate.ts";
import type { ReleaseName, RollingPlace } from "./release/place.ts";
import { pausedType } from "./release/shared-job-types.ts";
import { migrateAtWork, rollBack, rollOut, workOff } from "./stages.ts";

export const storeNames = ["postgres", "sqlite"] as const;
export type StoreName = (typeof storeNames)[number];

export interface RollingOptions {
  readonly store: StoreName;
  readonly chains: number;
  readonly restarts: number;
  readonly seed: number;
  readonly against: Against;
  readonly log: (line: string) => void;
}

export interface RollingReport {
  /** A line for each broken rule. */
  readonly broken: readonly string[];
  readonly figures: Readonly<Record<string, string | number>>;
}

const orders = { connections: 30, leaseMs: 5_000, delayMs: 30, rate: 45, backlog: 400, keys: 40 };

/** The releases whose workers observe a pause: on Postgres the functions of the schema do it, and on SQLite the package. */
const obeying: Readonly<Record<RollingPlace["kind"], ReadonlySet<ReleaseName>>> = {
  postgres: new Set(["last", "this"]),
  sqlite: new Set(["this"]),
};

/** Rolls one store from the last release to this one under work, and back, and judges what happened to the chains. */
export async function runRolling(options: RollingOptions): Promise<RollingReport> {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-rolling-"));
  const { place, close } = await openPlace(options.store, folder);
  try {
    const programs = {
      last: installLastRelease(join(folder, "last-release")),
      this: join(import.meta.dirname, "release"),
    };
    return await rollOn(place, folder, programs, options);
  } finally {
    await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function openPlace(
  store: StoreName,
  folder: string,
): Promise<{ readonly place: RollingPlace; readonly close: () => Promise<void> }> {
  if (store === "sqlite")
    return { place: { kind: "sqlite", path: join(folder, "store.sqlite") }, close: async () => {} };
  const server = await startPostgres({ settings: { fsync: "off", max_connections: "300" } });
  return { place: { kind: "postgres", url: server.url }, close: () => server.stop() };
}

async function rollOn(
  place: RollingPlace,
  folder: string,
  programs: Readonly<Record<"last" | "this", string>>,
  { chains, restarts, seed, against, log }: RollingOptions,
): Promise<RollingReport> {
  const journals = join(folder, "journals");
  mkdirSync(journals);
  const examiner = examine(place);
  const crew = openCrew({ place, folder: journals, programs, against, orders });
  const operate = operatorOf(programs, place, against);
  const roll = { crew, examiner, operate, chains, restarts, chance: createChance(seed), log, broken: [] as string[] };
  try {
    const migration = await migrateAtWork(roll);
    const pause = { ...(await rollOut(roll)), typeName: pausedType, releases: obeying[place.kind] };
    await rollBack(roll);
    await workOff(roll);
    const said = readSaid(crew.journals());
    const evidence = { ...(await readStore(examiner)), said, killed: crew.killedWorkers(), migration, pause };
    const long = longestExchange(evidence);
    return {
      broken: [...roll.broken, ...judge(evidence)],
      figures: {
        chains: evidence.jobs.filter(({ step }) => step === 1).length,
        jobs: evidence.jobs.length,
        "jobs that the last release ended": evidence.effects.filter(({ release }) => release === "last").length,
        "jobs that this release ended": evidence.effects.filter(({ release }) => release === "this").length,
        "processes killed and started again": restarts,
        "attempts that ended with their process": lostAttempts(evidence),
        "milliseconds of the migration": migration.ended - migration.began,
        "longest exchange while it ran": long === undefined ? "under 10 ms" : `${long} ms`,
      },
    };
  } finally {
    crew.killAll();
    await examiner.close();
  }
}
