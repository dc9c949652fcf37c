import { isChainwrightError } from "chainwright";
import type { ChannelListener, MessageChannel } from "chainwright/notify-channel";
import type { NatsConnection } from "./connection.ts";
import { watchStatus } from "./watch-status.ts";
import type { ConnectionStatus } from "./watch-status.ts";

/** Far below what NATS takes, so that one message never holds up others for long. */
const longestMessage = 65_536;

export function createNatsChannel(connection: NatsConnection, subject: string): MessageChannel {
  let watched: ConnectionStatus | undefined;
  const status = (): ConnectionStatus => (watched ??= watchStatus(connection));

  return {
    get maxMessageLength() {
      return Math.min(longestMessage, connection.info?.max_payload ?? longestMessage);
    },
    async publish(messages) {
      // It would wait in the client's buffer until the connection is back, when nobody needs the hint any more.
      if (status().isDown) throw notConnected();
      for (const message of messages) connection.publish(subject, message);
      await connection.flush();
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

async function listen({ connection, subject, status }: Place, listener: ChannelListener, signal: AbortSignal) {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(listener.onBroken);
  const abort = (): void => failed.reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    await Promise.race([status.untilUp(), failed.promise]);
    return await subscribe({ connection, subject, status }, listener, failed);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function subscribe(
  { connection, subject, status }: Place,
  listener: ChannelListener,
  failed: PromiseWithResolvers<never>,
) {
  // The client subscribes again by itself when it has reconnected, and tells nobody what it missed.
  const forget = status.onDown(() => failed.reject(notConnected()));
  const subscription = connection.subscribe(subject, {
    callback: (error, message) => (error === null ? listener.onMessage(message.string()) : failed.reject(error)),
  });
  const close = async (): Promise<void> => {
    forget();
    subscription.unsubscribe();
  };
  try {
    await Promise.race([connection.flush(), failed.promise]);
    return { close };
  } catch (error) {
    // Not even a PONG came: the connection is dead, and its client would notice only after minutes.
    if (isChainwrightError(error, "timeout") && !status.isDown) await connection.reconnect?.();
    await close();
    throw error;
  }
}

function notConnected(): Error {
  return new Error("the NATS connection is down.");
}
