import { readFileSync } from "node:fs";
import { join } from "node:path";

interface OutOfReach {
  /** Reasons that a run of the case finds by itself, with the names of the cases. */
  readonly found: Readonly<Record<string, readonly string[]>>;
  /** Reasons of cases that are not run, because they would wait for what a worker elsewhere does not do. */
  readonly named: Readonly<Record<string, readonly string[]>>;
}

const { found, named } = JSON.parse(readFileSync(join(import.meta.dirname, "out-of-reach.json"), "utf8")) as OutOfReach;

/** The cases that cannot go over HTTP, with the reason for each. */
export const outOfReach = { found: byName(found), named: byName(named) };

function byName(reasons: OutOfReach["found"]): ReadonlyMap<string, string> {
  return new Map(Object.entries(reasons).flatMap(([reason, names]) => names.map((name) => [name, reason] as const)));
}
