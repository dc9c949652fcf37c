import { checkDuration, checkKeys, checkText, invalid, show } from "../checks/check-options.ts";
import type { Engine } from "../engine/engine.ts";
import type { AnyClient } from "../types/any-client.ts";
import type { RetryOptions } from "../types/retry.ts";
import { attemptPolicy, checkAttemptOptions, type AttemptPolicy } from "../worker/attempt-options.ts";

/**
 * How the jobs of a type are run whose workers are elsewhere.
 *
 * @example
 * const resizing: ElsewhereOptions = { retry: { maxAttempts: 5 }, leaseMs: 120_000 };
 */
export interface ElsewhereOptions {
  /** How often and when a failed attempt is retried. Default: as in `createWorker`. */
  readonly retry?: RetryOptions | undefined;
  /** The longest lease that is granted. Default: 60 s. */
  readonly leaseMs?: number | undefined;
}

/**
 * The options of `createRemote`.
 *
 * @example
 * const options: RemoteOptions = { client, elsewhere: { "image.resize": { retry: { maxAttempts: 5 } } }, name: "gateway" };
 */
export interface RemoteOptions {
  readonly client: AnyClient;
  /**
   * The policy of each type. Types that are declared with `elsewhere: true` and schemas need none. Without any such type, and without
   * this option, jobs of all types are claimed.
   */
  readonly elsewhere?: Readonly<Record<string, ElsewhereOptions>> | undefined;
  /** Shown where workers are listed. Default: its id. */
  readonly name?: string | undefined;
  /** Whether it writes the ticks of recurring schedules. Default: true. */
  readonly schedules?: boolean | undefined;
  /** How long ended chains are kept, as in `createWorker`. Default: it deletes none and leaves that to workers. */
  readonly retention?:
    | { readonly completedMs?: number | undefined; readonly failedMs?: number | undefined }
    | undefined;
}

/** The policies of the types that are claimed. */
export interface Policies {
  /** Undefined: all types are claimed. */
  readonly typeNames: readonly string[] | undefined;
  of(typeName: string): AttemptPolicy & { readonly leaseMs: number };
}

const optionKeys = { client: true, elsewhere: true, name: true, schedules: true, retention: true } satisfies Record<
  keyof RemoteOptions,
  true
>;
const typeKeys = { retry: true, leaseMs: true } satisfies Record<keyof ElsewhereOptions, true>;
const retentionKeys = { completedMs: true, failedMs: true } as const;
const defaultLeaseMs = 60_000;

/** Checks the options. */
export function checkRemoteOptions(options: RemoteOptions): void {
  checkKeys(options, optionKeys, "createRemote");
  if (options.name !== undefined) checkText(options.name, "name", 200);
  const { schedules, retention = {} } = options;
  checkKeys(retention, retentionKeys, "retention");
  for (const [key, ms] of Object.entries(retention))
    if (ms !== undefined && ms !== Infinity) checkDuration(ms, `retention.${key}`);
  if (schedules !== undefined && typeof schedules !== "boolean")
    throw invalid(`schedules must be true or false; got ${show(schedules)}.`);
}

export function policiesOf({ types }: Pick<Engine, "types">, given: RemoteOptions["elsewhere"] = {}): Policies {
  if (typeof given !== "object" || given === null)
    throw invalid(`elsewhere must be an object with options for each type; got ${show(given)}.`);
  for (const [typeName, options] of Object.entries(given)) {
    types.assertElsewhere(typeName);
    checkKeys(options, typeKeys, `elsewhere of "${typeName}"`);
    checkAttemptOptions(options, `elsewhere of "${typeName}"`);
    if (options.leaseMs !== undefined) checkDuration(options.leaseMs, `leaseMs of "${typeName}"`);
  }
  const named = new Set([...types.elsewhere, ...Object.keys(given)]);
  const policyOf = (typeName: string) => {
    const own = Object.hasOwn(given, typeName) ? given[typeName] : undefined;
    const policy = attemptPolicy(own === undefined ? [] : [own]);
    return { ...policy, leaseMs: policy.leaseMs ?? defaultLeaseMs };
  };
  const known = new Map([...named].map((typeName) => [typeName, policyOf(typeName)]));
  const other = policyOf("");
  return {
    typeNames: named.size === 0 ? undefined : [...named],
    of: (typeName) => known.get(typeName) ?? other,
  };
}
