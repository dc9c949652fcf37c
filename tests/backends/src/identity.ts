import { execFileSync } from "node:child_process";
import { chownSync } from "node:fs";

export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

/** Postgres refuses to run as root: whom root runs it as. `undefined` for everybody else, who run it as themselves. */
export function unprivilegedIdentity(): Identity | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const user of ["postgres", "nobody"]) {
    const uid = idOf("-u", user);
    const gid = idOf("-g", user);
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new Error("Postgres does not run as root, and this machine has neither a user postgres nor a user nobody");
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
