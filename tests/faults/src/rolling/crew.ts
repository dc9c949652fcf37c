import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { runChild, type Child } from "@chainwright/child-process";
import type { Against } from "../attack/children.ts";
import { errorsPath, journalPath, notesOf, workersOf } from "./notes.ts";
import type { RollingOrders } from "./release/orders.ts";
import type { ReleaseName, RollingPlace } from "./release/place.ts";

export type Job = "worker" | "starter";

/** A process of the test. */
export interface Member {
  readonly job: Job;
  readonly release: ReleaseName;
  readonly name: string;
  readonly child: Child;
}

export interface CrewOptions {
  readonly place: RollingPlace;
  /** Where journals and errors are kept. */
  readonly folder: string;
  /** The folder with the programs of each release. */
  readonly programs: Readonly<Record<ReleaseName, string>>;
  readonly against: Against;
  readonly orders: Omit<RollingOrders, "place" | "release" | "journal" | "workers" | "slots">;
}

/** The processes that run, and those that did. */
export interface Crew {
  /** Starts a process, and resolves when it works. */
  readonly join: (job: Job, release: ReleaseName, team?: Pick<RollingOrders, "workers" | "slots">) => Promise<Member>;
  readonly members: (job: Job, release: ReleaseName) => readonly Member[];
  /** Kills a process, and resolves when it is gone. */
  readonly kill: (member: Member) => Promise<void>;
  /** Lets processes finish their work. */
  readonly stop: (members: readonly Member[]) => Promise<void>;
  readonly killAll: () => void;
  /** What all processes wrote down; an error of a process that was not killed is a trouble. */
  readonly journals: () => readonly { readonly name: string; readonly lines: readonly string[] }[];
  /** The ids of the workers whose processes were killed. */
  readonly killedWorkers: () => ReadonlySet<string>;
}

const usualTeam = { workers: 4, slots: 5 };

export function openCrew({ place, folder, programs, against, orders }: CrewOptions): Crew {
  const present = new Set<Member>();
  const names: string[] = [];
  const killed = new Set<string>();
  const ends = new Map<string, readonly string[]>();
  return {
    join: async (job, release, team = usualTeam) => {
      const name = `${release}-${job}-${names.length}`;
      names.push(name);
      const errors = openSync(errorsPath(folder, name), "a");
      const journal = journalPath(folder, name);
      const child = runChild({
        path: join(programs[release], release, `${job}-process.ts`),
        orders: { ...orders, ...team, place, release, journal } satisfies RollingOrders,
        flags: flagsOf(release, against),
        errors,
      });
      closeSync(errors);
      const member = { job, release, name, child };
      present.add(member);
      void child.ended.then((how) => {
        present.delete(member);
        if (how !== 0 && !killed.has(name)) ends.set(name, [`trouble it ended with ${String(how)}`]);
      });
      await child.begun;
      return member;
    },
    members: (job, release) => [...present].filter((each) => each.job === job && each.release === release),
    kill: async ({ name, child }) => {
      killed.add(name);
      child.process.kill("SIGKILL");
      await child.ended;
    },
    stop: async (members) => {
      for (const { child } of members) child.process.stdin?.end();
      await Promise.all(members.map(({ child }) => child.ended));
    },
    killAll: () => {
      for (const { child } of present) child.process.kill("SIGKILL");
    },
    journals: () => names.map((name) => ({ name, lines: [...notesOf(folder, name), ...(ends.get(name) ?? [])] })),
    killedWorkers: () => new Set([...killed].flatMap((name) => workersOf(folder, name))),
  };
}

/** How Node runs a program of a release: this one from the sources or the builds of the workspace. */
export function flagsOf(release: ReleaseName, against: Against): readonly string[] {
  const conditions = release === "this" && against === "sources" ? ["--conditions=@chainwright/source"] : [];
  return [...conditions, "--experimental-strip-types", "--no-warnings"];
}
