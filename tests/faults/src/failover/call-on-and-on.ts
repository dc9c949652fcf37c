import { setTimeout as delay } from "node:timers/promises";
import type { Journal } from "./journal.ts";

const callers = 20;

export interface Calls {
  /** Ways to start a chain, which callers take in turn. Each returns the chain's id. */
  readonly starts: readonly ((input: number) => Promise<string>)[];
  readonly ending: (id: string) => Promise<unknown>;
  readonly journal: Journal;
}

/** Callers that each start a chain, wait for its end, and start the next one. */
export function callOnAndOn({ starts, ending, journal }: Calls) {
  const over = new AbortController();
  const call = async (caller: number): Promise<void> => {
    const start = starts[caller % starts.length];
    if (start === undefined) return;
    while (!over.signal.aborted) {
      try {
        const id = await start(caller);
        journal.acknowledge(id);
        await ending(id);
      } catch (error) {
        journal.fail(error, undefined);
        await delay(50);
      }
    }
  };
  const calling = Promise.all(Array.from({ length: callers }, (_, index) => call(index)));
  return {
    /** Lets them finish their current chain. */
    end: async (): Promise<void> => {
      over.abort();
      await calling;
    },
  };
}
