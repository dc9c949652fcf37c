import { ChainwrightError } from "chainwright";
import type { NatsConnection, NatsStatus } from "./connection.ts";

/** The status of a connection and the server's refusals, as the NATS client reports them. */
export interface ConnectionStatus {
  /** Resolves when the connection is up; rejects when the client has given up. */
  untilUp(): Promise<void>;
  /** Rejects unless the connection is up; waits only while its state is unknown. */
  assertUp(): Promise<void>;
  /** Calls back when the connection goes down. The returned function removes the callback. */
  onDown(callback: (error: Error) => void): () => void;
  /** Returns the server's error for a refused message on the subject, each refusal once. */
  takeRefusal(): Error | undefined;
  close(): void;
}

/** `unknown`: the client may be reconnecting and does not report it. `gone`: the client has given up or was closed. */
type State = "unknown" | "up" | "down" | "gone";

export function watchStatus(connection: NatsConnection, subject: string): ConnectionStatus {
  const callbacks = new Set<(error: Error) => void>();
  const statuses = connection.status()[Symbol.asyncIterator]();
  let state: State = "unknown";
  let up = handled();
  let refusal: Error | undefined;

  const rise = (): void => {
    if (state === "gone") return;
    state = "up";
    up.resolve();
  };
  const fall = (to: "down" | "gone"): void => {
    if (state === "gone") return;
    if (state === "up") up = handled();
    state = to;
    if (to === "gone") up.reject(closedForGood());
    for (const callback of callbacks) callback(errorOf(to));
  };
  const note = ({ type, error }: NatsStatus): void => {
    if (type === "disconnect") fall("down");
    if (type === "close") fall("gone");
    if (type === "reconnect") rise();
    if (type === "error" && isRefusal(error, subject)) refusal = error;
  };
  const follow = async (): Promise<void> => {
    for (let next = await statuses.next(); next.done !== true; next = await statuses.next()) note(next.value);
    fall("gone");
  };
  follow().catch(() => fall("gone"));
  if (connection.isClosed()) fall("gone");
  else
    connection.flush().then(
      () => void (state === "unknown" && rise()),
      () => undefined,
    );

  return {
    untilUp: () => up.promise,
    async assertUp() {
      if (state === "unknown") await up.promise;
      if (state !== "up") throw errorOf(state);
    },
    onDown(callback) {
      callbacks.add(callback);
      return () => void callbacks.delete(callback);
    },
    takeRefusal() {
      const taken = refusal;
      refusal = undefined;
      return taken;
    },
    close() {
      callbacks.clear();
      // The iteration ends with the next status or with the connection, because a pending read cannot be cancelled.
      void statuses.return?.().catch(() => undefined);
    },
  };
}

/** A deferred promise whose rejection is never unhandled. */
function handled(): PromiseWithResolvers<void> {
  const deferred = Promise.withResolvers<void>();
  deferred.promise.catch(() => undefined);
  return deferred;
}

function isRefusal(error: unknown, subject: string): error is Error {
  if (!(error instanceof Error) || !("operation" in error) || !("subject" in error)) return false;
  return error.operation === "publish" && error.subject === subject;
}

function errorOf(state: State): Error {
  return state === "gone" ? closedForGood() : new Error("the NATS connection is down.");
}

function closedForGood(): ChainwrightError {
  return new ChainwrightError(
    "closed",
    "the NATS connection is closed for good: its client has given up, or the application closed it. Connect with `maxReconnectAttempts: -1`, so that the client never gives up, and create a new adapter and client.",
  );
}
