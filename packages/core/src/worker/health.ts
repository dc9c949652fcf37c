import type { NotificationHealth } from "../engine/notification-state.ts";
import type { ExchangeLoop } from "./exchange-loop.ts";
import type { Slots } from "./slots.ts";
import type { UpkeepFailure } from "./upkeep-failures.ts";
import type { Upkeep } from "./upkeep.ts";

/**
 * How a worker is doing, for a health check.
 *
 * @example
 * const isWell = ({ status, lastLookedAt }: WorkerHealth) =>
 *   status === "running" && lastLookedAt !== undefined && Date.now() - lastLookedAt.getTime() < 120_000;
 * const serve = () => new Response(null, { status: isWell(worker.health()) ? 200 : 503 });
 */
export interface WorkerHealth {
  /** `store-lost`: the store does not answer; the worker goes on trying. */
  readonly status: "not-started" | "running" | "store-lost" | "stopping";
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
    upkeepFailures: upkeep.failures(),
  };
}

function statusOf(loop: ExchangeLoop, hasStarted: boolean): WorkerHealth["status"] {
  if (loop.stopping) return "stopping";
  if (!hasStarted) return "not-started";
  return loop.failures > 0 ? "store-lost" : "running";
}
