import { ChainwrightError } from "chainwright";

/** A client library's handle that is valid for one transaction. */
export interface Lent<Tx extends object> {
  readonly tx: Tx;
  /** From now on every use of `tx`, and of methods taken from it, throws `closed` or the error given. */
  revoke(reason?: () => Error): void;
}

/**
 * Wraps a handle of a client library in a proxy for one transaction. Each transaction on the same handle then has a different
 * `tx`, and its use after the end is an error instead of a write into another transaction.
 */
export function lend<Tx extends object>(handle: Tx): Lent<Tx> {
  let refusal: (() => Error) | undefined;
  const check = (): void => {
    if (refusal !== undefined) throw refusal();
  };
  let methods: Map<PropertyKey, unknown> | undefined;

  /**
   * Methods of a library's class run on the handle itself, because some are native and accept no other `this`, and the others
   * would read each field through the proxy. A function that is the handle's own property may have properties itself, so it is
   * returned unchanged.
   */
  const read = (property: PropertyKey): unknown => {
    const known = methods?.get(property);
    if (known !== undefined) return known;
    const value: unknown = Reflect.get(handle, property, handle);
    if (typeof value !== "function" || Object.hasOwn(handle, property)) return value;
    const method = (...parameters: unknown[]): unknown => {
      check();
      return Reflect.apply(value, handle, parameters);
    };
    methods ??= new Map();
    methods.set(property, method);
    return method;
  };

  const tx = new Proxy(handle, {
    get: (_, property) => {
      // Promises read `then` and debuggers read symbols: a handle can be returned and printed after its end.
      if (property !== "then" && typeof property !== "symbol") check();
      return read(property);
    },
    set: (_, property, value) => {
      check();
      return Reflect.set(handle, property, value, handle);
    },
    apply: (_, self, parameters) => {
      check();
      return typeof handle === "function"
        ? Reflect.apply<unknown, unknown[], unknown>(handle, self, parameters)
        : undefined;
    },
  });
  return {
    tx,
    revoke: (reason = ended) => {
      refusal ??= reason;
    },
  };
}

function ended(): Error {
  return new ChainwrightError("closed", "this transaction has ended; its tx cannot be used any more");
}
