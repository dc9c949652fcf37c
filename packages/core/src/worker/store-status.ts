import { describeError } from "../checks/describe-error.ts";
import type { Engine } from "../engine/engine.ts";
import type { StoreTrouble } from "../operations/store-trouble.ts";

/** Whether a worker's exchanges succeed. Records an event when that changes. */
export interface StoreStatus {
  /** An exchange has failed. */
  begin(kind: StoreTrouble, error: unknown): void;
  /** An exchange has succeeded. */
  end(): void;
  /** Undefined: the last exchange succeeded. */
  now(): StoreTrouble | undefined;
  /** Exchanges that failed since the last one that succeeded. */
  failures(): number;
}

const eventOf = { away: "store-lost", "read-only": "store-read-only", locked: "store-locked" } as const;

/** An exchange that waits for a lock, or loses a race, is worth an event only after so many failures in a row. */
const reportLockedFrom = 3;

export function createStoreStatus({ events }: Pick<Engine, "events">, workerId: string): StoreStatus {
  let kind: StoreTrouble | undefined;
  let failures = 0;
  let reported: StoreTrouble | undefined;

  return {
    begin(next, error) {
      kind = next;
      failures += 1;
      if (reported === next || (next === "locked" && failures < reportLockedFrom)) return;
      reported = next;
      events.record([{ type: eventOf[next], workerId, error: describeError(error) }], undefined);
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
