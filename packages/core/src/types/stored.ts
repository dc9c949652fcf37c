import { ChainwrightError } from "../model/error.ts";
import type { VersionLadder, VersionStep } from "../model/version-step.ts";

/**
 * The versions of one stored input or output, from the first one on, as `stored` makes it. `Latest` is the type of the newest version;
 * `Backs` says for each later version whether it has a `back`.
 *
 * @example
 * const amounts: Stored<{ cents: number }, [false]> = stored<{ amount: number }>().then(({ amount }) => ({
 *   cents: Math.round(amount * 100),
 * }));
 */
export interface Stored<
  in out Latest,
  in out Backs extends readonly boolean[] = readonly boolean[],
> extends VersionLadder {
  /**
   * Adds a version. `up` makes a value of it from one of the version before. It runs with each read of a value that is older, so it
   * must be synchronous and depend on its argument only.
   *
   * @param options `back` does the reverse: it is needed for `writes`. `up(back(value))` must equal the value.
   * @throws `invalid-input` for what is no function
   * @example
   * const charges = stored<{ cents: number }>().then((v1) => ({ ...v1, currency: "EUR" }), {
   *   back: ({ currency: _, ...v1 }) => v1,
   * });
   */
  then<Next>(up: (value: Latest) => Next): Stored<Next, [...Backs, false]>;
  then<Next>(
    up: (value: Latest) => Next,
    options: { readonly back: (value: Next) => Latest },
  ): Stored<Next, [...Backs, true]>;
}

/**
 * The first version of an input or output: the type that the first release stored. Add one `.then` for each later version, and pass the
 * result to `defineVersions`.
 *
 * @example
 * const chargeVersions = stored<{ orderId: string; amount: number }>().then((v1) => ({
 *   orderId: v1.orderId,
 *   cents: Math.round(v1.amount * 100),
 * }));
 */
export function stored<First>(): Stored<First, []>;
export function stored(): ErasedStored {
  return storedIn([]);
}

interface ErasedStored extends VersionLadder {
  then(up: unknown, options?: unknown): ErasedStored;
}

function storedIn(steps: readonly VersionStep[]): ErasedStored {
  return {
    steps,
    // oxlint-disable-next-line unicorn/no-thenable -- awaiting one is refused below, and by the compiler
    then: (up, options) => storedIn([...steps, checkStep(up, options)]),
  };
}

function checkStep(up: unknown, options: unknown = {}): VersionStep {
  // What `await` passes.
  if (typeof options === "function") throw wrong("stored<T>() is not a promise and must not be awaited.");
  if (!isFunction(up)) throw wrong(`then must have a function that makes the next version; got ${typeof up}.`);
  const back: unknown = typeof options === "object" && options !== null ? Reflect.get(options, "back") : undefined;
  if (typeof options !== "object" || options === null || Object.keys(options).some((key) => key !== "back"))
    throw wrong("the options of then must be { back } or be left out.");
  if (back !== undefined && !isFunction(back)) throw wrong(`back must be a function; got ${typeof back}.`);
  return { up, back };
}

function isFunction(value: unknown): value is (value: unknown) => unknown {
  return typeof value === "function";
}

function wrong(message: string): ChainwrightError {
  return new ChainwrightError("invalid-input", message);
}
