/** The attacks other than killing processes, by name. */
export const deedNames = [
  /** Kills, restarts and freezes the server, and makes it read-only. */
  "server",
  /** Changes the faults of the network between processes and server. */
  "network",
  /** Ends sessions, and cancels their statements. */
  "sessions",
  /** Holds rows, tables and snapshots. */
  "locks",
  /** Keeps transactions open in which the library was called, and commits or rolls them back late. */
  "calls",
  /** Fills the disk. */
  "disk",
  /** Changes and deletes chains at work. */
  "operators",
  /** Gives some processes short limits for locks and statements. */
  "limits",
  /** Gives some processes small pools. */
  "pools",
] as const;
export type DeedName = (typeof deedNames)[number];
export type Deeds = ReadonlySet<DeedName>;

/** All attacks except those in a list from the command line. */
export function deedsWithout(list: string | undefined): Deeds {
  const left = new Set(deedNames);
  for (const name of list?.split(",") ?? []) {
    const deed = deedNames.find((each) => each === name);
    if (deed === undefined) throw new TypeError(`--without must name some of ${deedNames.join(", ")}; got ${name}`);
    left.delete(deed);
  }
  return left;
}
