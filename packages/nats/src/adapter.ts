import { ChainwrightError, type NotifyAdapter } from "chainwright";
import { createChannelNotifyAdapter } from "chainwright/notify-channel";
import { createNatsChannel } from "./channel.ts";
import type { NatsConnection } from "./connection.ts";

/**
 * Options of `createNatsNotifyAdapter`.
 *
 * @example
 * const perStage = (connection: NatsConnection, stage: string): NatsNotifyAdapterOptions => ({
 *   connection,
 *   subjectPrefix: `shop.${stage}`, // hints travel on shop.test.hints, shop.live.hints...
 * });
 */
export interface NatsNotifyAdapterOptions {
  /** A connection of `connect()`, preferably with `maxReconnectAttempts: -1`. The application owns it and closes it. */
  readonly connection: NatsConnection;
  /** The same for all clients and workers of one store, and different for every other store. Default: `chainwright`. */
  readonly subjectPrefix?: string | undefined;
}

/** Tokens between dots, without the wildcards `*` and `>`. */
const subjects = /^[^\s.*>]+(?:\.[^\s.*>]+)*$/;

/**
 * Sends hints over NATS: workers in other processes are woken within a round trip. It publishes and subscribes on the given
 * connection and does not manage it. While the server does not respond, notifications count as lost, and reconnecting is left to the NATS
 * client. With `pingInterval: 5_000` that client notices a dead server within seconds; by default it takes minutes.
 *
 * @example
 * import { connect } from "@nats-io/transport-node";
 *
 * const connection = await connect({ servers: "localhost", maxReconnectAttempts: -1 });
 * const notifyAdapter = createNatsNotifyAdapter({ connection });
 */
export function createNatsNotifyAdapter({
  connection,
  subjectPrefix = "chainwright",
}: NatsNotifyAdapterOptions): NotifyAdapter & AsyncDisposable {
  if (typeof subjectPrefix !== "string" || !subjects.test(subjectPrefix)) {
    throw new ChainwrightError(
      "invalid-input",
      `subjectPrefix must be a NATS subject without wildcards, such as \`my-app.jobs\`; got ${JSON.stringify(subjectPrefix)}.`,
    );
  }
  return createChannelNotifyAdapter({ channel: createNatsChannel(connection, `${subjectPrefix}.hints`) });
}
