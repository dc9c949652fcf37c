import type { StoreAccess } from "../engine/engine.ts";
import type { JobRecord } from "../model/record.ts";
import type { BreakerInfo, LimitInfo } from "../types/limit-reports.ts";
import { limitView } from "./list-limits.ts";

/** The limits that let a ready job not begin now, in the order of their names. */
export async function closedLimits(
  { state, clock, callOptions, types }: StoreAccess,
  { status, attempt, limits: keys }: JobRecord,
  tx: unknown,
): Promise<readonly LimitInfo[]> {
  if (status !== "ready" || keys === undefined) return [];
  const records = await state.listLimits({ keys, limit: keys.length }, callOptions(tx));
  // A job that has had an attempt has kept its place for the next one: it does not wait for itself.
  const keepsPlace = attempt > 0 && types.limits.holds(keys);
  return records.map((record) => limitView(record, clock.now())).filter((info) => isClosed(info, keepsPlace));
}

/** Why a limit lets no job with the key begin, and how many are before this one. */
export function limitSentence(info: LimitInfo, ahead: string): string {
  const { limit, key, running, concurrency, declared, isPaused, pausedUntil, breaker, opensAt } = info;
  if (declared === undefined)
    return `It waits, because no worker has declared the limit "${limit}": start a worker whose client has it.`;
  if (isPaused) {
    const end = pausedUntil === undefined ? "it is resumed" : pausedUntil.toISOString();
    return `It waits, because ${nameOf(info)} is paused until ${end}.`;
  }
  if (breaker?.state === "open")
    return `It waits, because ${nameOf(info)} is closed after ${failures(breaker)} until ${breaker.openUntil.toISOString()}.`;
  if (breaker !== undefined)
    return `It waits, because ${nameOf(info)} was closed after ${failures(breaker)}: one job at a time tries it, until one succeeds.`;
  if (concurrency !== undefined && running >= concurrency)
    return `It waits for a place: "${limit}" of "${key}" has ${running} of ${concurrency}; ${ahead} other jobs are before it in its lane.`;
  return `It waits, because the rate of ${nameOf(info)} is used up until ${opensAt?.toISOString()}; ${ahead} other jobs are before it in its lane.`;
}

function failures({ failures: count }: BreakerInfo): string {
  return count === 1 ? "1 failure" : `${count} failures`;
}

function nameOf({ limit, key }: LimitInfo): string {
  return `the limit "${limit}" of "${key}"`;
}

/** Whether a limit lets no job with the key begin now. */
export function isClosed(
  { declared, isPaused, running, concurrency, breaker, opensAt }: LimitInfo,
  keepsPlace = false,
): boolean {
  if (declared === undefined || isPaused || breaker !== undefined || opensAt !== undefined) return true;
  return !keepsPlace && concurrency !== undefined && running >= concurrency;
}
