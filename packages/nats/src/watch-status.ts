import type { NatsConnection } from "./connection.ts";

/** Whether a connection stands, by what its client says of it. */
export interface ConnectionStatus {
  readonly isDown: boolean;
  /** Resolves when it stands, at once if it does. */
  untilUp(): Promise<void>;
  /** Calls back when the connection ends, until told to stop. */
  onDown(callback: () => void): () => void;
  close(): void;
}

export function watchStatus(connection: NatsConnection): ConnectionStatus {
  const callbacks = new Set<() => void>();
  const statuses = connection.status()[Symbol.asyncIterator]();
  let isDown = connection.isClosed();
  let up = Promise.withResolvers<void>();
  if (!isDown) up.resolve();
  const fall = (): void => {
    if (!isDown) up = Promise.withResolvers<void>();
    isDown = true;
    for (const callback of callbacks) callback();
  };
  const rise = (): void => {
    isDown = false;
    up.resolve();
  };
  const follow = async (): Promise<void> => {
    for (let next = await statuses.next(); next.done !== true; next = await statuses.next()) {
      if (next.value.type === "disconnect" || next.value.type === "close") fall();
      if (next.value.type === "reconnect") rise();
    }
  };
  // Ends with the connection; how that ended is for its owner.
  follow().then(fall, fall);

  return {
    get isDown() {
      return isDown;
    },
    untilUp: () => up.promise,
    onDown(callback) {
      callbacks.add(callback);
      return () => void callbacks.delete(callback);
    },
    close() {
      callbacks.clear();
      // It ends with the next status, or with the connection: a pending read cannot be taken back.
      void statuses.return?.().catch(() => undefined);
    },
  };
}
