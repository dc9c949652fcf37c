/**
 * The part of a NATS connection that the adapter uses: of `@nats-io/transport-node`, or of another client of the same shape.
 *
 * @example
 * const responds = async (connection: NatsConnection) =>
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
  /** Resolves when the server has responded, which means that it has handled everything sent before. */
  flush(): Promise<void>;
  status(): AsyncIterable<NatsStatus>;
  isClosed(): boolean;
}

/** The part of a message that the adapter uses. */
interface NatsMessage {
  string(): string;
}

/** The part of a subscription that the adapter uses. */
interface NatsSubscription {
  unsubscribe(): void;
}

/** The part of a status event that the adapter uses. */
export interface NatsStatus {
  readonly type: string;
  /** With `error`: the error of the server. A permission error names the operation and the subject. */
  readonly error?: unknown;
}
