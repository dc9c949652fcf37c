import { checkDuration, checkKeys } from "../checks/check-options.ts";
import { checkLimitKey, checkLimitName } from "../checks/limit-registry.ts";
import type { Engine } from "../engine/engine.ts";
import { ChainwrightError } from "../model/error.ts";
import type { LimitKey } from "../model/limit.ts";
import type { ClaimedJob } from "../model/record.ts";
import { limitNotFound } from "../operations/change-limits.ts";
import type { HoldKeyOptions } from "../types/handler-context.ts";
import { Reschedule } from "./handler-result.ts";
import { writeLimits } from "./write-limits.ts";

/** Thrown by `holdKey`: no job with the key is to begin for a while, and the handler is to be called again after that. */
export class HoldKey extends Reschedule {
  readonly held: LimitKey;
  readonly forMs: number;

  constructor(held: LimitKey, forMs: number) {
    super({ afterMs: forMs });
    this.name = "HoldKey";
    this.held = held;
    this.forMs = forMs;
  }
}

const holdKeys = { limit: true, forMs: true, key: true } satisfies Record<keyof HoldKeyOptions, true>;

/** Checks what a handler passes to `holdKey`. The key is that of the job, if none is given. */
export function checkHold({ types }: Pick<Engine, "types">, job: ClaimedJob, options: HoldKeyOptions): HoldKey {
  checkKeys(options, holdKeys, "holdKey");
  const limit = checkLimitName(options.limit);
  const forMs = checkDuration(options.forMs, "forMs", 1);
  const own = job.limits?.find((each) => each.limit === limit);
  if (own === undefined && !types.limits.has(limit)) throw limitNotFound(limit);
  if (own === undefined && options.key === undefined)
    throw new ChainwrightError(
      "limit-not-found",
      `the job is not under the limit "${limit}", so it has no key of it; pass the key to hold.`,
      { details: { limit } },
    );
  return new HoldKey({ limit, key: checkLimitKey(options.key ?? own?.key, "key") }, forMs);
}

/** Which jobs are under one of these keys. */
export function isUnder(keys: readonly LimitKey[]): (job: ClaimedJob) => boolean {
  return ({ limits = [] }) =>
    limits.some((own) => keys.some(({ limit, key }) => own.limit === limit && own.key === key));
}

/**
 * Writes the pause of a key, before the outcome of the attempt: if the process dies in between, the pause is there, and the lease runs
 * out. If it cannot be written, the job waits by itself, and others with the key meet what it met.
 */
export async function pauseHeldKey(engine: Engine, workerId: string, { held, forMs }: HoldKey): Promise<void> {
  const written = await writeLimits(engine, workerId, [{ kind: "pause", ...held, forMs }]);
  if (written !== undefined) engine.events.record([{ type: "limit-paused", ...held, forMs }], undefined);
}
