/** What is used of a connection of `@nats-io/transport-node`, or of any other NATS client of the same shape. */
export interface NatsConnection {
  readonly info?: { readonly max_payload?: number } | undefined;
  publish(subject: string, payload: string): void;
  subscribe(subject: string, options: { callback(error: Error | null, message: NatsMessage): void }): NatsSubscription;
  /** Resolves when the server has answered: it has everything that was sent before. */
  flush(): Promise<void>;
  status(): AsyncIterable<{ readonly type: string }>;
  isClosed(): boolean;
  reconnect?(): Promise<void>;
}

export interface NatsMessage {
  string(): string;
}

export interface NatsSubscription {
  unsubscribe(): void;
}
