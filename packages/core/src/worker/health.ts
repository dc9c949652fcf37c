import type { NotificationHealth } from "../hints/notification-state.ts";
import type { UpkeepFailure } from "./chore-failures.ts";
import type { HeldUpReport } from "./held-up-report.ts";
import type { WorkerParts } from "./worker-parts.ts";

/**
 * How a worker is doing, for a health check.
 *
 * @example
 * const isWell = ({ status, lastLookedAt }: WorkerHealth) =>
 *   status === "running" && lastLookedAt !== undefined && Date.now() - lastLookedAt.getTime() < 120_000;
 * const serve = () => new Response(null, { status: isWell(worker.health()) ? 200 : 503 });
 */
export interface WorkerHealth {
  /**
   * The values that begin with `store` say why the worker's calls fail; it continues to try. `store-lost`: the store does not
   * respond, or its adapter returned a reply that cannot be read. `store-read-only`: it responds, and accepts no writes, as a
   * standby. `store-locked`: it responds, and the calls wait too long for locks, as while a table is locked.
   */
  readonly status:
    | "not-started"
    | "running"
    | "paused"
    | "store-lost"
    | "store-read-only"
    | "store-locked"
    | "stopping";
  /**
   * Whether wake-ups of other processes arrive, and whether this process can send its own. Work continues in any case: the worker
   * then looks each second. Undefined without a notify adapter.
   */
  readonly notifications: NotificationHealth | undefined;
  /** When the store last responded to its request for work. */
  readonly lastLookedAt: Date | undefined;
  /** Handlers running now. */
  readonly running: number;
  /** Jobs claimed ahead that wait for a slot. */
  readonly waiting: number;
  /**
   * Outcomes that have waited for more than 3 s because other transactions hold their rows; undefined: there are none. The worker
   * is healthy, and continues with its other work.
   */
  readonly heldUp: HeldUpReport | undefined;
  /** Upkeep chores that fail now; see the event `upkeep-failed`. */
  readonly upkeepFailures: readonly UpkeepFailure[];
}

export function workerHealth(
  { engine, loop, slots, nextLook, oneByOne, chores }: WorkerParts,
  hasStarted: boolean,
): WorkerHealth {
  const { lastLookedAt } = nextLook;
  return {
    status: statusOf(loop, hasStarted),
    notifications: engine.hub.health,
    lastLookedAt: lastLookedAt === undefined ? undefined : new Date(lastLookedAt),
    running: slots.running.size,
    waiting: slots.buffer.length + slots.gathering.size,
    heldUp: oneByOne.report(),
    upkeepFailures: chores.failures(),
  };
}

const statusIn = { away: "store-lost", "read-only": "store-read-only", locked: "store-locked" } as const;

function statusOf({ stopping, paused, storeStatus }: WorkerParts["loop"], hasStarted: boolean): WorkerHealth["status"] {
  if (stopping) return "stopping";
  if (!hasStarted) return "not-started";
  const trouble = storeStatus.now();
  if (trouble !== undefined) return statusIn[trouble];
  return paused ? "paused" : "running";
}
