import type { Clock } from "../ports/clock.ts";
import { createDeadlines } from "../timing/deadlines.ts";
import type { RemoteJob } from "./types.ts";

/** A claim that waits for jobs. */
export interface Ask {
  readonly limit: number;
  /** Whether a look that finds nothing ends it. */
  readonly isBrief: boolean;
  /** Ends its wait without jobs. */
  end(): void;
}

/** The claims that wait for jobs of the same types, in the order of their arrival. */
export interface Asks {
  /** How many jobs they ask for together. */
  readonly wanted: number;
  readonly size: number;
  /** Resolves with jobs, or with none when its time is over. */
  add(ask: { readonly limit: number; readonly waitMs: number }): {
    readonly ask: Ask;
    readonly jobs: Promise<readonly RemoteJob[]>;
  };
  /** Deals jobs out, and returns those that no one asks for any more. */
  deal(jobs: readonly RemoteJob[]): readonly RemoteJob[];
  /** The claims that a look without jobs ends: those that came before it. */
  brief(): readonly Ask[];
  /** Ends all waits: with an error, or without jobs. */
  end(error?: unknown): void;
}

interface Waiting extends Ask {
  readonly resolve: (jobs: readonly RemoteJob[]) => void;
  readonly reject: (error: unknown) => void;
}

const none: readonly RemoteJob[] = [];

export function createAsks(clock: Clock): Asks {
  const waiting = new Set<Waiting>();
  const brief = new Set<Waiting>();
  let wanted = 0;
  const remove = (one: Waiting): boolean => {
    if (!waiting.delete(one)) return false;
    brief.delete(one);
    deadlines.remove(one);
    wanted -= one.limit;
    return true;
  };
  const endOne = (one: Waiting): void => {
    if (remove(one)) one.resolve(none);
  };
  const deadlines = createDeadlines<Waiting>(clock, endOne);

  return {
    get wanted() {
      return wanted;
    },
    get size() {
      return waiting.size;
    },
    add({ limit, waitMs }) {
      const { promise: jobs, resolve, reject } = Promise.withResolvers<readonly RemoteJob[]>();
      const one: Waiting = { limit, isBrief: waitMs === 0, end: () => endOne(one), resolve, reject };
      waiting.add(one);
      wanted += limit;
      if (one.isBrief) brief.add(one);
      else deadlines.add(one, clock.now() + waitMs);
      return { ask: one, jobs };
    },
    deal(jobs) {
      let at = 0;
      for (const one of waiting) {
        if (at >= jobs.length) break;
        const own = jobs.slice(at, at + one.limit);
        at += own.length;
        remove(one);
        one.resolve(own);
      }
      return jobs.slice(at);
    },
    brief: () => [...brief],
    end(error) {
      for (const one of waiting) {
        if (error === undefined) endOne(one);
        else if (remove(one)) one.reject(error);
      }
    },
  };
}
