/**
 * What is used of a connection of `@nats-io/transport-node`, or of any other NATS client of the same shape.
 *
 * @example
 * const answers = async (connection: NatsConnection) =>
 *   !connection.isClosed() &&
 *   (await connection.flush().then(
 *     () => true,
 *     () => false,
 *   ));
 */
export interface NatsConnection {
  readonly info?: { readonly max_payload?: number } | undefined;
  publish(subject: string, payload: string): void;
  subscribe(subject: string, options: { callback(error: Error | null, message: NatsMessage): void }): NatsSubscription;
  /** Resolves when the server has answered: it has handled everything that was sent before. */
  flush(): Promise<void>;
  status(): AsyncIterable<NatsStatus>;
  isClosed(): boolean;
}

/** What is used of a message. */
interface NatsMessage {
  string(): string;
}

/** What is used of a subscription. */
interface NatsSubscription {
  unsubscribe(): void;
}

/** What is used of a change of status. */
export interface NatsStatus {
  readonly type: string;
  /** With `error`: what the server said. Of a permission it names the operation and the subject. */
  readonly error?: unknown;
}
