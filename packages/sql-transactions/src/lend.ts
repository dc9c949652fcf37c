import { ChainwrightError } from "chainwright";

/** A client library's handle, lent for the time of one transaction. */
export interface Lent<Tx extends object> {
  readonly tx: Tx;
  /** From now on every use of `tx`, and of methods taken from it, throws `closed` or the error given. */
  revoke(reason?: () => Error): void;
}

/**
 * Lends a handle of a client library under an identity of its own. So a transaction can be told from the one before it on
 * the same handle, and use after its end is an error instead of a write into another transaction.
 */
export function lend<Tx extends object>(handle: Tx): Lent<Tx> {
  let refusal: (() => Error) | undefined;
  const check = (): void => {
    if (refusal !== undefined) throw refusal();
  };
  let methods: Map<PropertyKey, unknown> | undefined;

  /**
   * Methods of a library's class run on the handle itself: some are native and accept no other `this`, and the others would look
   * up each of their own fields through the proxy. A function that the handle itself has may have properties of its own, so it
   * is returned as it is.
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
      // Promises look for the one, debuggers for the other: a handle can be returned and printed after its end.
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
