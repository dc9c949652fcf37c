import type { Chain, CompletedBlocker, StartedChain } from "../types/chain.ts";
import type { Job, StoredJob } from "../types/job.ts";
import type { SignalledJob } from "../types/signals.ts";
import { checkKeys, given, type OptionKeys } from "../checks/check-options.ts";

type KeyOf<Union> = Union extends unknown ? keyof Union : never;
type AnyChain = Chain | StartedChain<string, unknown> | CompletedBlocker<string, unknown, unknown>;
type AnyJob =
  | SignalledJob<string, unknown, unknown>
  | StoredJob<string, unknown, unknown>
  | Job<string, unknown, unknown>;

/** What calls return for a chain: a start, a read, a list, a job's blockers. */
const chainProperties = {
  id: true,
  typeName: true,
  status: true,
  input: true,
  output: true,
  version: true,
  outputVersion: true,
  unreadable: true,
  omitted: true,
  error: true,
  reason: true,
  tags: true,
  deduplicationKey: true,
  compensations: true,
  deadlineAt: true,
  deduplicated: true,
  blockers: true,
  position: true,
  createdAt: true,
  endedAt: true,
} satisfies Record<KeyOf<AnyChain> | "position", true>;

/** What calls return for a job, and what a handler sees of it. */
const jobProperties = {
  id: true,
  chainId: true,
  typeName: true,
  step: true,
  status: true,
  priority: true,
  pool: true,
  input: true,
  output: true,
  version: true,
  outputVersion: true,
  unreadable: true,
  omitted: true,
  attempt: true,
  errors: true,
  lastError: true,
  createdAt: true,
  scheduledAt: true,
  waitsUntil: true,
  lostAttempts: true,
  startedAt: true,
  leasedBy: true,
  leasedUntil: true,
  endedAt: true,
  continuedAs: true,
  blockersLeft: true,
  blockers: true,
  onBlockerFailure: true,
  idempotencyKey: true,
  tick: true,
  received: true,
  receivedAll: true,
} satisfies Record<KeyOf<AnyJob>, true>;

/** Whether the caller passed a chain or a job as the library returned it: no call has an option of this name. */
export function isReadValue(options: object): boolean {
  return "createdAt" in options;
}

/** Rejects unknown keys, except the properties of a chain if the options are a chain as it was started or read. */
export function checkChainKeys(options: object, keys: OptionKeys, what: string): void {
  checkKeysBeside(options, chainProperties, { keys, what });
}

/** Rejects unknown keys, except the properties of a job if the options are a job as it was read. */
export function checkJobKeys(options: object, keys: OptionKeys, what: string): void {
  checkKeysBeside(options, jobProperties, { keys, what });
}

function checkKeysBeside(
  options: object,
  properties: OptionKeys,
  { keys, what }: { readonly keys: OptionKeys; readonly what: string },
): void {
  if (!isReadValue(given(options, what))) return checkKeys(options, keys, what);
  const others = Object.keys(options).filter((key) => !Object.hasOwn(properties, key));
  return checkKeys(Object.fromEntries(others.map((key) => [key, true])), keys, what);
}
