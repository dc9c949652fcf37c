import { fileURLToPath } from "node:url";
import type { StateAdapter } from "chainwright/adapter";
import { casesOf, type ConformanceCase } from "../case.ts";
import { killAtPoint, killAtRandom, type Attack } from "./attack.ts";
import { killPoints, type KillPoint } from "./kill-points.ts";

/**
 * A store that processes share, for one case.
 *
 * @example
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { dirname, join } from "node:path";
 *
 * async function createStore(): Promise<SharedStore> {
 *   const path = join(mkdtempSync(join(tmpdir(), "jobs-")), "jobs.db");
 *   const stateAdapter = createSqliteStateAdapter({ driver: nodeSqlite(path) });
 *   await stateAdapter.migrate();
 *   return { store: path, stateAdapter, close: async () => rmSync(dirname(path), { recursive: true }) };
 * }
 */
export interface SharedStore {
  /** Names the store to the processes: a path, a URL. */
  readonly store: string;
  /** An adapter on the store, which has been migrated; the suite closes it. */
  readonly stateAdapter: StateAdapter;
  /** Releases the store. The suite has closed the adapter before. */
  close(): Promise<void>;
}

/**
 * What `processConformance` takes.
 *
 * @example
 * const options: ProcessConformanceOptions = {
 *   program: new URL("./store-process.ts", import.meta.url),
 *   createStore: async () => ({ store: "jobs.db", stateAdapter: createMyStateAdapter(), close: async () => {} }),
 *   kills: 200, // an hour of chance in a nightly run
 * };
 */
export interface ProcessConformanceOptions {
  /** The program of the processes, which calls `runConformanceProcess`. */
  readonly program: URL;
  /** Flags of Node with which the program runs. Default: those of this process. */
  readonly nodeFlags?: readonly string[] | undefined;
  /** Called once a case. */
  readonly createStore: () => Promise<SharedStore>;
  /** How many processes the case kills at random moments. Default: 8. */
  readonly kills?: number | undefined;
}

/**
 * What a store promises when processes that share it are killed, as cases for any test runner: no chain is lost, none is
 * doubled, and what a handler writes in the transaction of its outcome happens once.
 *
 * @example
 * import { processConformance } from "@chainwright/conformance";
 * import { test } from "vitest";
 *
 * const cases = processConformance({
 *   program: new URL("./store-process.ts", import.meta.url),
 *   createStore: async () => ({ store: "jobs.db", stateAdapter: createMyStateAdapter(), close: async () => {} }),
 * });
 * for (const { name, run } of cases) test(name, { timeout: 60_000 }, run);
 */
export function processConformance(options: ProcessConformanceOptions): readonly ConformanceCase[] {
  const { program, nodeFlags = process.execArgv, createStore, kills = 8 } = options;
  const points = Object.keys(killPoints).filter(isKillPoint);
  const rules = {
    "lose nothing and do nothing twice when they are killed at random moments": (attack: Attack) =>
      killAtRandom(attack, kills),
    ...Object.fromEntries(
      points.map((point) => [
        `lose nothing and do nothing twice when a ${killPoints[point]} is killed ${point}`,
        (attack: Attack) => killAtPoint(attack, point),
      ]),
    ),
  };
  return casesOf<Attack, never>([{ subject: "processes", needs: undefined, rules }], {
    asked: undefined,
    without: {},
    async within(rule) {
      const { store, stateAdapter, close } = await createStore();
      try {
        await rule({ store, stateAdapter, path: fileURLToPath(program), flags: nodeFlags });
      } finally {
        await stateAdapter.close();
        await close();
      }
    },
  });
}

function isKillPoint(name: string): name is KillPoint {
  return Object.hasOwn(killPoints, name);
}
