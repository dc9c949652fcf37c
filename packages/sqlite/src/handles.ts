import { closedError } from "./errors.ts";

/** A client library's handle, lent for the time of one transaction. */
export interface Lent<Tx extends object> {
  readonly tx: Tx;
  /** From now on every use of `tx` throws `closed`. */
  revoke(): void;
}

/**
 * Lends a connection's handle under an identity of its own each time, so that a transaction can be told from the one
 * before it, and use after its end is an error instead of a write into somebody else's transaction.
 */
export function createLender<Tx extends object>(handle: Tx): () => Lent<Tx> {
  // Bound once: the libraries' methods are native and want their own object as `this`.
  const bound = new Map<PropertyKey, unknown>();
  const read = (property: PropertyKey): unknown => {
    const known = bound.get(property);
    if (known !== undefined) return known;
    const value: unknown = Reflect.get(handle, property, handle);
    if (typeof value !== "function") return value;
    const method: unknown = value.bind(handle);
    bound.set(property, method);
    return method;
  };
  return () => {
    let open = true;
    const check = () => {
      if (!open) throw closedError("this transaction");
    };
    const tx = new Proxy(handle, {
      get: (_, property) => {
        check();
        return read(property);
      },
      set: (_, property, value) => {
        check();
        return Reflect.set(handle, property, value, handle);
      },
    });
    return {
      tx,
      revoke: () => {
        open = false;
      },
    };
  };
}
