import { isObject, isReference } from "./clients.ts";

/** What Drizzle's types do not describe: the session of a database or transaction, and the connection that it uses. */
interface Session {
  readonly client: object;
  transaction<T>(run: (tx: never) => Promise<T>): Promise<T>;
}

/** The session of a database or transaction of Drizzle; undefined if the value is neither. */
export function sessionOf(value: unknown): Session | undefined {
  const session = property(property(value, "_"), "session");
  return isSession(session) ? session : undefined;
}

function isSession(value: unknown): value is Session {
  const client = property(value, "client");
  return isReference(client) && typeof property(value, "transaction") === "function";
}

/**
 * A transaction of Drizzle on a handle of postgres.js whose transaction another function has begun and will end. Drizzle's own code
 * makes it: its session calls `begin` of its client, which here only passes on the handle.
 */
export function transactionOn<T>(session: Session, handle: object, run: (tx: never) => Promise<T>): Promise<T> {
  const client = { begin: (callback: (given: object) => Promise<T>) => callback(handle) };
  const onHandle: unknown = Object.create(session, { client: { value: client } });
  if (!isSession(onHandle)) throw new TypeError("the session of Drizzle cannot be used on another connection");
  return onHandle.transaction(run);
}

function property(value: unknown, name: string): unknown {
  return isObject(value) ? Reflect.get(value, name) : undefined;
}
