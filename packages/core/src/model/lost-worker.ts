/**
 * What stores keep of lost workers: for how long, of how many, the newest, and how many jobs of each. A worker that crashes whenever it
 * starts is a new one each time.
 *
 * @example
 * const isForgotten = ({ lostAt }: LostWorkerRecord, now: number) => lostAt <= now - lostWorkerLimits.keptMs;
 */
export const lostWorkerLimits = { keptMs: 86_400_000, mostWorkers: 1_000, mostHeld: 1_000 } as const;
