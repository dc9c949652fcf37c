import type { Engine } from "../engine/engine.ts";
import { eventError } from "../checks/describe-error.ts";
import type { Trouble } from "./call-failure.ts";

/** What keeps a worker from its store, and the events of that. */
export interface StoreTrouble {
  begin(kind: Trouble, error: unknown): void;
  end(): void;
  /** Undefined: the last call was answered. */
  now(): Trouble | undefined;
  /** Calls that have failed since the last that was answered. */
  failures(): number;
}

const eventOf = { away: "store-lost", "read-only": "store-read-only", locked: "store-locked" } as const;

/** A call that waits for a lock, or loses a race, is nothing to report until this has gone on for so many tries. */
const reportLockedFrom = 3;

export function createStoreTrouble({ events }: Engine, workerId: string): StoreTrouble {
  let kind: Trouble | undefined;
  let failures = 0;
  let reported: Trouble | undefined;

  return {
    begin(next, error) {
      kind = next;
      failures += 1;
      if (reported === next || (next === "locked" && failures < reportLockedFrom)) return;
      reported = next;
      events.record([{ type: eventOf[next], workerId, error: eventError(error) }], undefined);
    },
    end() {
      if (reported !== undefined) events.record([{ type: "store-restored", workerId }], undefined);
      kind = reported = undefined;
      failures = 0;
    },
    now: () => kind,
    failures: () => failures,
  };
}
