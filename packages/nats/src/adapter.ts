import { ChainwrightError, type NotifyAdapter } from "chainwright";
import { createChannelNotifyAdapter } from "chainwright/notify-channel";
import { createNatsChannel } from "./channel.ts";
import type { NatsConnection } from "./connection.ts";

/**
 * What `createNatsNotifyAdapter` takes.
 *
 * @example
 * const perStage = (connection: NatsConnection, stage: string): NatsNotifyAdapterOptions => ({
 *   connection,
 *   subjectPrefix: `shop.${stage}`, // hints travel on shop.test.hints, shop.live.hints...
 * });
 */
export interface NatsNotifyAdapterOptions {
  /** From `connect()`; it stays the application's, which closes it. Best made with `maxReconnectAttempts: -1`. */
  readonly connection: NatsConnection;
  /** Clients and workers that share a store share this name, and no others do. Default `chainwright`. */
  readonly subjectPrefix?: string | undefined;
}

/** Tokens between dots, without the wildcards `*` and `>`. */
const subjects = /^[^\s.*>]+(?:\.[^\s.*>]+)*$/;

/**
 * Carries hints over NATS: workers in other processes hear of new work within a round trip. It publishes and listens on the
 * given connection, and leaves it alone otherwise: when it does not answer, notifications count as lost, and reconnecting is up to the
 * connection's own client. With `pingInterval: 5_000` that notices a dead server within seconds, by default after minutes.
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
      "subjectPrefix is a NATS subject without wildcards, as `my-app.jobs` is.",
    );
  }
  return createChannelNotifyAdapter({ channel: createNatsChannel(connection, `${subjectPrefix}.hints`) });
}
