/**
 * What a broker has to offer for hints to travel over it: short ASCII texts to everybody who listens. It only translates;
 * limits of time, the heartbeat and reopening are not its business.
 *
 * @example
 * const listeners = new Set<ChannelListener>();
 * const loopback: MessageChannel = {
 *   maxMessageLength: 8_000,
 *   publish: async (messages) => listeners.forEach((each) => messages.forEach((text) => each.onMessage(text))),
 *   open: async (listener) => {
 *     listeners.add(listener);
 *     return { close: async () => void listeners.delete(listener) };
 *   },
 *   close: async () => listeners.clear(),
 * };
 */
export interface MessageChannel {
  /** The most characters of one message; longer ones that arrive are ignored. */
  readonly maxMessageLength: number;
  /**
   * How a link shows that it works. `echo`, the default: a message to itself comes back. `answer`: it answers its `probe`; for brokers
   * where one connection publishes and listens and the broker handles its commands in order, so that an answer proves both.
   */
  readonly provenBy?: "echo" | "answer";
  /** What it may mean that messages are published and none arrives; the end of an error message. */
  readonly whenSilent?: string;
  /**
   * Resolves when the broker took them. Rejects at once where the connection is known to be down, rather than queueing; with a
   * `ChainwrightError` with the code `closed` where it will never be up again. When the signal aborts, what has not been sent must not be
   * sent any more: no one needs it later.
   */
  publish(messages: readonly string[], signal: AbortSignal): Promise<void>;
  /**
   * Begins to listen, on a connection that no one else waits on. When the signal aborts it rejects, and nothing stays open;
   * once it has resolved, the signal means nothing. Rejects with a `ChainwrightError` with the code `closed` where trying again is of
   * no use.
   */
  open(listener: ChannelListener, signal: AbortSignal): Promise<ChannelLink>;
  /** Lets go of what publishing opened; what the application opened stays open. Idempotent. */
  close(): Promise<void>;
}

/** Told of what a connection hears. */
export interface ChannelListener {
  onMessage(message: string): void;
  /** The connection ended by itself; the link is closed and another one opened. */
  onBroken(error: unknown): void;
}

/** An open connection that listens. */
export interface ChannelLink {
  /**
   * Resolves when the connection that listens answers. Called when a ping could not be published, because that says nothing about
   * this connection; with `provenBy: "answer"` called in place of a ping. Otherwise left out where both are one connection.
   */
  probe?(): Promise<void>;
  /** Stops listening without waiting for a broker that may be gone. */
  close(): Promise<void>;
}
