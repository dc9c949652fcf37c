import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Against } from "../attack/children.ts";
import { flagsOf } from "./crew.ts";
import type { OperatorOrders } from "./release/operator-process.ts";
import type { ReleaseName, RollingPlace } from "./release/place.ts";

const run = promisify(execFile);

export interface Operated {
  /** The code of the error. */
  readonly refused?: string;
  readonly began: number;
  readonly ended: number;
  readonly statements?: number;
  readonly version?: number;
  readonly compatibleFrom?: number;
  readonly contractPending?: boolean;
}

/** Returns what makes an operator of a release do one call in a process of its own. */
export function operatorOf(
  programs: Readonly<Record<ReleaseName, string>>,
  place: RollingPlace,
  against: Against,
): (release: ReleaseName, call: OperatorOrders["call"]) => Promise<Operated> {
  return async (release, call) => {
    const orders = JSON.stringify({ place, call } satisfies OperatorOrders);
    const program = join(programs[release], "operator-process.ts");
    const { stdout } = await run(process.execPath, [...flagsOf(release, against), program, orders]);
    return JSON.parse(stdout) as Operated;
  };
}
