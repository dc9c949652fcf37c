import type { Debounce, Deduplication, JobStart, Throttle } from "../model/job-start.ts";
import { checkDuration, checkKeys, checkName, invalid, show } from "../checks/check-options.ts";
import { storedKey } from "./stored-key.ts";

export interface DeduplicationItem {
  readonly key: string;
  readonly scope?: Deduplication["scope"] | undefined;
  readonly windowMs?: number | undefined;
}

export interface DebounceItem {
  readonly key: string;
  readonly quietMs: number;
  readonly maxWaitMs: number;
}

export interface ThrottleItem {
  readonly key: string;
  readonly perMs: number;
  readonly last?: boolean | undefined;
}

const deduplicationKeys = { key: true, scope: true, windowMs: true } satisfies Record<keyof DeduplicationItem, true>;
const debounceKeys = { key: true, quietMs: true, maxWaitMs: true } satisfies Record<keyof DebounceItem, true>;
const throttleKeys = { key: true, perMs: true, last: true } satisfies Record<keyof ThrottleItem, true>;

/** What a start says about other starts with the same key, and what that excludes. */
interface KeyedItem {
  readonly typeName: string;
  readonly deduplication?: DeduplicationItem | undefined;
  readonly debounce?: DebounceItem | undefined;
  readonly throttle?: ThrottleItem | undefined;
  readonly schedule?: object | undefined;
  readonly blockers?: readonly unknown[] | undefined;
}

export function hasKey({ deduplication, debounce, throttle }: KeyedItem): boolean {
  return deduplication !== undefined || debounce !== undefined || throttle !== undefined;
}

/** Checks the one of these options that a start has. */
export function checkStartKey(item: KeyedItem, isBlocker: boolean): JobStart["deduplication"] {
  const { typeName, deduplication, debounce, throttle } = item;
  const given = [deduplication, debounce, throttle].filter((option) => option !== undefined);
  if (given.length > 1)
    throw invalid("a start takes only one of deduplication, debounce and throttle; remove the others.");
  if (debounce !== undefined) return checkDebounce(item, debounce, isBlocker);
  if (throttle !== undefined) return checkThrottle(item, throttle, isBlocker);
  return deduplication === undefined ? undefined : checkDeduplication(typeName, deduplication);
}

function checkDeduplication(typeName: string, item: DeduplicationItem): Deduplication {
  checkKeys(item, deduplicationKeys, "deduplication");
  const { scope = "active", windowMs } = item;
  if (scope !== "active" && scope !== "any")
    throw invalid(`deduplication.scope must be "active" or "any"; got ${show(scope)}.`);
  const key = checkName(item.key, "deduplication.key");
  return {
    key: storedKey(typeName, key),
    scope,
    windowMs: windowMs === undefined ? undefined : checkDuration(windowMs, "deduplication.windowMs", 1),
  };
}

function checkDebounce(start: KeyedItem, item: DebounceItem, isBlocker: boolean): Debounce {
  checkKeys(item, debounceKeys, "debounce");
  refuseOtherWaits(start, "debounce", isBlocker);
  const key = storedKey(start.typeName, checkName(item.key, "debounce.key"));
  const quietMs = checkDuration(item.quietMs, "debounce.quietMs", 1);
  const maxWaitMs = checkDuration(item.maxWaitMs, "debounce.maxWaitMs", 1);
  if (maxWaitMs < quietMs)
    throw invalid(`debounce.maxWaitMs must be at least quietMs, which is ${quietMs}; got ${maxWaitMs}.`);
  return { key, scope: "debounce", quietMs, maxWaitMs };
}

/** Without `last` it is a deduplication with a window. */
function checkThrottle(start: KeyedItem, item: ThrottleItem, isBlocker: boolean): Deduplication | Throttle {
  checkKeys(item, throttleKeys, "throttle");
  const { last = false } = item;
  if (typeof last !== "boolean") throw invalid(`throttle.last must be a boolean; got ${show(last)}.`);
  const key = storedKey(start.typeName, checkName(item.key, "throttle.key"));
  const perMs = checkDuration(item.perMs, "throttle.perMs", 1);
  if (!last) return { key, scope: "any", windowMs: perMs };
  refuseOtherWaits(start, "throttle with last", isBlocker);
  return { key, scope: "throttle", perMs };
}

/** A chain whose input may be replaced waits for nothing but later starts. */
function refuseOtherWaits({ schedule, blockers }: KeyedItem, option: string, isBlocker: boolean): void {
  if (schedule !== undefined)
    throw invalid(
      `a start with ${option} takes no schedule, because the key decides when it is due; remove one of them.`,
    );
  if (blockers !== undefined)
    throw invalid(
      `a start with ${option} takes no blockers, because its first job must not be blocked; remove ${option}.`,
    );
  if (isBlocker) throw invalid(`a blocker written inline takes no ${option}; start it before, and pass the chain.`);
}
