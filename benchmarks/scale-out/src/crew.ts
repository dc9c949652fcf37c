import { availableParallelism } from "node:os";
import { startMember, type Member } from "./member.ts";
import type { Post } from "./messages.ts";

type Count = (started: number) => void;

/** The worker processes of a queue. */
export interface Crew {
  readonly busy: readonly Member[];
  readonly idle: readonly Member[];
  /** Starts processes whose workers wait for "start". */
  startBusy(processes: number, progress: Count): Promise<void>;
  /** Starts processes whose workers look for jobs that there are none of. */
  startIdle(processes: number, progress: Count): Promise<void>;
  /** Ends all processes, also those that have only begun to start. */
  end(): Promise<void>;
}

/** A start is a second of compiling: more of them at once only take turns, and the parent waits for each fork. */
const atOnce = 2 * availableParallelism();

export function createCrew(post: Omit<Post, "isIdle">): Crew {
  const [busy, idle]: [Member[], Member[]] = [[], []];
  const start = async (isIdle: boolean): Promise<void> => {
    const member = startMember();
    (isIdle ? idle : busy).push(member);
    await member.ask({ ask: "join", post: { ...post, isIdle } });
    if (isIdle) await member.ask({ ask: "start" });
  };
  const startAll = async (isIdle: boolean, processes: number, progress: Count): Promise<void> => {
    for (let started = 0; started < processes; started += atOnce) {
      progress(started);
      const group = Math.min(atOnce, processes - started);
      await Promise.all(Array.from({ length: group }, () => start(isIdle)));
    }
  };
  return {
    busy,
    idle,
    startBusy: (processes, progress) => startAll(false, processes, progress),
    startIdle: (processes, progress) => startAll(true, processes, progress),
    end: async () => void (await Promise.all([...busy, ...idle].map((member) => member.end()))),
  };
}
