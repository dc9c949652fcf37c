import type { ChannelLink, ChannelListener, MessageChannel } from "chainwright/notify-channel";
import type { NatsConnection } from "./connection.ts";
import { watchStatus, type ConnectionStatus } from "./watch-status.ts";

/** Far below what NATS takes, so that one message never holds up others for long. */
const longestMessage = 65_536;

/**
 * The application's connection is only used, and never told to reconnect: whether its server is gone is for its own client to find
 * out. While it does not answer, notifications count as lost.
 */
export function createNatsChannel(connection: NatsConnection, subject: string): MessageChannel {
  let watched: ConnectionStatus | undefined;
  const status = (): ConnectionStatus => (watched ??= watchStatus(connection, subject));

  return {
    get maxMessageLength() {
      return Math.min(longestMessage, connection.info?.max_payload ?? longestMessage);
    },
    // The server handles what one connection sends in order, so a PONG says that the subscription works. A message to itself would
    // not come back on a connection made with `noEcho`.
    provenBy: "answer",
    async publish(messages, signal) {
      // What is sent while it is down would wait in the client's buffer, and arrive when nobody needs it any more.
      await status().assertUp();
      signal.throwIfAborted();
      for (const message of messages) connection.publish(subject, message);
      await connection.flush();
      // The server reports what it refuses before it answers; the client passes the report on a little later.
      await new Promise((resolve) => setImmediate(resolve));
      const refusal = status().takeRefusal();
      if (refusal !== undefined) throw refusal;
    },
    open: (listener, signal) => listen({ connection, subject, status: status() }, listener, signal),
    async close() {
      watched?.close();
      watched = undefined;
    },
  };
}

interface Place {
  readonly connection: NatsConnection;
  readonly subject: string;
  readonly status: ConnectionStatus;
}

async function listen(place: Place, listener: ChannelListener, signal: AbortSignal): Promise<ChannelLink> {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(listener.onBroken);
  const abort = (): void => failed.reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    await Promise.race([place.status.untilUp(), failed.promise]);
    return await subscribe(place, listener, failed);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function subscribe(
  { connection, subject, status }: Place,
  listener: ChannelListener,
  failed: PromiseWithResolvers<never>,
): Promise<ChannelLink> {
  // The client subscribes again by itself when it has reconnected, and does not say what it missed.
  const forget = status.onDown(failed.reject);
  const subscription = connection.subscribe(subject, {
    callback: (error, message) => (error === null ? listener.onMessage(message.string()) : failed.reject(error)),
  });
  const close = async (): Promise<void> => {
    forget();
    subscription.unsubscribe();
  };
  try {
    await Promise.race([connection.flush(), failed.promise]);
    return { close, probe: () => connection.flush() };
  } catch (error) {
    await close();
    throw error;
  }
}
