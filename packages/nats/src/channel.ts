import type { ChannelLink, ChannelListener, MessageChannel } from "chainwright/notify-channel";
import type { NatsConnection } from "./connection.ts";
import { watchStatus, type ConnectionStatus } from "./watch-status.ts";

/** Far below the limit of NATS, so that one message never delays others for long. */
const longestMessage = 65_536;

/**
 * Creates a channel on the application's connection and never reconnects it, because detecting a dead server is the task of the NATS
 * client. While the server does not respond, notifications count as lost.
 */
export function createNatsChannel(connection: NatsConnection, subject: string): MessageChannel {
  let watched: ConnectionStatus | undefined;
  const status = (): ConnectionStatus => (watched ??= watchStatus(connection, subject));

  return {
    get maxMessageLength() {
      return Math.min(longestMessage, connection.info?.max_payload ?? longestMessage);
    },
    // The server handles the commands of one connection in order, so a PONG proves that the subscription works. A message to itself
    // would not return on a connection with `noEcho`.
    provenBy: "probe",
    async publish(messages, signal) {
      // A message sent while the connection is down would wait in the client's buffer and arrive when it is useless.
      await status().assertUp();
      signal.throwIfAborted();
      for (const message of messages) connection.publish(subject, message);
      await connection.flush();
      // The server reports a refusal before it responds; the client passes the report on a little later.
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

interface ListenOptions {
  readonly connection: NatsConnection;
  readonly subject: string;
  readonly status: ConnectionStatus;
}

async function listen(options: ListenOptions, listener: ChannelListener, signal: AbortSignal): Promise<ChannelLink> {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(listener.onBroken);
  const abort = (): void => failed.reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    await Promise.race([options.status.untilUp(), failed.promise]);
    return await subscribe(options, listener, failed);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function subscribe(
  { connection, subject, status }: ListenOptions,
  listener: ChannelListener,
  failed: PromiseWithResolvers<never>,
): Promise<ChannelLink> {
  // The client subscribes again by itself after it has reconnected, but does not report missed messages. So a loss fails the link.
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
