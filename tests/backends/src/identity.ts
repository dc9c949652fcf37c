import { execFileSync } from "node:child_process";
import { chownSync } from "node:fs";

export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

/** The user as whom root starts Postgres, which refuses to run as root; `undefined` if this process does not run as root. */
export function unprivilegedIdentity(): Identity | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const user of ["postgres", "nobody"]) {
    const uid = idOf("-u", user);
    const gid = idOf("-g", user);
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new Error(
    "Postgres does not run as root, and this machine has neither the user postgres nor the user nobody. Add one of them.",
  );
}

export function give(folder: string, identity: Identity | undefined): void {
  if (identity !== undefined) chownSync(folder, identity.uid, identity.gid);
}

function idOf(flag: string, user: string): number | undefined {
  try {
    return Number(execFileSync("id", [flag, user], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  } catch {
    return undefined;
  }
}
