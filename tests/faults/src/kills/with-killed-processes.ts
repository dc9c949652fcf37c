import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { runChild, type Child } from "@chainwright/child-process";
import type { StorePlace } from "../store/open-store.ts";

/** A program that works on a store until its input ends, and how many processes of it run. */
interface KilledProgram {
  readonly path: string;
  readonly place: StorePlace;
  readonly processes: number;
}

/** Processes at work, to be killed. */
interface KilledProcesses {
  /** Kills one of them within 300 ms, and starts another in its place. */
  killOne(): Promise<void>;
  /** Kills so many, one after the other, and then more until what the test is about has happened. */
  killMany(plan: KillPlan): Promise<void>;
  /** Lets all of them end. Returns what went wrong in any. */
  end(): Promise<readonly string[]>;
}

interface KillPlan {
  readonly kills: number;
  /** Gives the processes work, before each kill. */
  giveWork(): Promise<void>;
  /** Whether kills have met what they should: which they meet depends on how busy the machine is. Asked once `kills` were done. */
  hasMet(): Promise<boolean>;
}

/** A test without what it is about fails after so many kills beyond its number, instead of going on. */
const mostMore = 100;
const flags = ["--conditions=@chainwright/source", "--experimental-strip-types", "--no-warnings"];

/** Runs something while processes are at work. None is left afterwards. */
export async function withKilledProcesses<T>(
  { path, place, processes }: KilledProgram,
  run: (killed: KilledProcesses) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-killed-"));
  const errors = openSync(join(folder, "errors"), "a");
  const present: Child[] = [];
  const begin = async (): Promise<void> => {
    const child = runChild({ path, orders: { place }, flags, errors });
    present.push(child);
    await child.begun;
  };
  const killOne = async (): Promise<void> => {
    await delay(Math.random() * 300);
    const [victim] = present.splice(Math.floor(Math.random() * present.length), 1);
    victim?.process.kill("SIGKILL");
    await victim?.ended;
    await begin();
  };
  try {
    await Promise.all(Array.from({ length: processes }, begin));
    return await run({
      killOne,
      killMany: async ({ kills, giveWork, hasMet }) => {
        for (let killed = 0; killed < kills || (killed < kills + mostMore && !(await hasMet())); killed += 1) {
          await giveWork();
          await killOne();
        }
      },
      end: async () => {
        for (const child of present) child.process.stdin?.end();
        const ends = await Promise.all(present.splice(0).map(({ ended }) => ended));
        const wrong = ends.some((end) => end !== 0) ? [`a process ended with ${ends.join()}`] : [];
        const said = readFileSync(join(folder, "errors"), "utf8").slice(-2_000);
        return said === "" ? wrong : [...wrong, `the processes wrote: ${said}`];
      },
    });
  } finally {
    for (const child of present) child.process.kill("SIGKILL");
    await Promise.all(present.map(({ ended }) => ended));
    closeSync(errors);
    rmSync(folder, { recursive: true, force: true });
  }
}
