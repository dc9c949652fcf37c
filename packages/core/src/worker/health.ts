import type { NotificationHealth } from "../hints/notification-state.ts";
import type { ExchangeLoop } from "./exchange-loop.ts";
import type { HeldUpReport } from "./settle-one-by-one.ts";
import type { Slots } from "./slots.ts";
import type { UpkeepFailure } from "./chore-failures.ts";
import type { Upkeep } from "./chores.ts";

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
   * The three that begin with `store` say why the worker's calls fail; it goes on trying. `store-lost`: the store does not
   * answer. `store-read-only`: it answers, and takes no writes, as a standby does. `store-locked`: it answers, and the calls
   * wait too long for locks, as while a table is locked.
   */
  readonly status: "not-started" | "running" | "store-lost" | "store-read-only" | "store-locked" | "stopping";
  /**
   * Whether wake-ups of other processes arrive, and whether this process can send its own. Work goes on in any case, found by
   * looking each second. Undefined without a notify adapter.
   */
  readonly notifications: NotificationHealth | undefined;
  /** When it last asked the store for work and was answered. */
  readonly lastLookedAt: Date | undefined;
  /** Handlers running now. */
  readonly running: number;
  /** Jobs claimed ahead that wait for a slot. */
  readonly waiting: number;
  /**
   * Outcomes that have waited for more than 3 s because other transactions hold their rows; undefined: there is none. The worker
   * is well, and does its other work.
   */
  readonly heldUp: HeldUpReport | undefined;
  /** Chores of upkeep that fail now; see the event `upkeep-failed`. */
  readonly upkeepFailures: readonly UpkeepFailure[];
}

export function workerHealth(
  { loop, slots, upkeep }: { readonly loop: ExchangeLoop; readonly slots: Slots; readonly upkeep: Upkeep },
  hasStarted: boolean,
): WorkerHealth {
  return {
    status: statusOf(loop, hasStarted),
    notifications: loop.engine.hub.health,
    lastLookedAt: loop.lastLookedAt === undefined ? undefined : new Date(loop.lastLookedAt),
    running: slots.running.size,
    waiting: slots.buffer.length,
    heldUp: loop.heldUp.report(),
    upkeepFailures: upkeep.failures(),
  };
}

const statusIn = { away: "store-lost", "read-only": "store-read-only", locked: "store-locked" } as const;

function statusOf(loop: ExchangeLoop, hasStarted: boolean): WorkerHealth["status"] {
  if (loop.stopping) return "stopping";
  if (!hasStarted) return "not-started";
  const trouble = loop.trouble.now();
  return trouble === undefined ? "running" : statusIn[trouble];
}
