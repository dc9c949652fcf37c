/**
 * The operations that a broker must provide to carry hints: it delivers short ASCII texts to all listeners. A channel only
 * translates calls; the notify adapter adds time limits, the heartbeat and reopening.
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
  /** The most characters in one message; longer messages that arrive are ignored. */
  readonly maxMessageLength: number;
  /**
   * How a link shows that it works. `echo`, the default: a message to itself comes back. `probe`: `ChannelLink.probe` resolves. This is for
   * brokers where one connection publishes and listens, and which handle its commands in order, so that a reply proves both.
   */
  readonly provenBy?: "echo" | "probe";
  /** The likely cause if messages are published and none arrives; the end of an error message. */
  readonly whenSilent?: string;
  /**
   * Resolves when the broker has accepted the messages. Rejects at once if the connection is known to be down, instead of
   * queueing; if it can never be restored, with a `ChainwrightError` with the code `closed`. After the signal aborts, unsent
   * messages must not be sent, because no one needs them later.
   */
  publish(messages: readonly string[], signal: AbortSignal): Promise<void>;
  /**
   * Begins to listen on a connection that nothing else waits on. If the signal aborts before it resolves, it rejects and nothing
   * stays open; after that the signal has no effect. If a retry cannot succeed, it rejects with a `ChainwrightError` with the
   * code `closed`.
   */
  open(listener: ChannelListener, signal: AbortSignal): Promise<ChannelLink>;
  /** Closes what publishing opened; what the application opened stays open. Idempotent. */
  close(): Promise<void>;
}

/** Receives the messages of a connection, and its end. */
export interface ChannelListener {
  onMessage(message: string): void;
  /** Reports that the connection ended by itself; the adapter closes the link and opens another one. */
  onBroken(error: unknown): void;
}

/** An open connection that listens. */
export interface ChannelLink {
  /**
   * Resolves when the broker replies on the listening connection. Called when a ping could not be published, because such a
   * failure does not show whether this connection works. With `provenBy: "probe"` it is called instead of a ping. Otherwise
   * leave it out if one connection publishes and listens.
   */
  probe?(): Promise<void>;
  /** Stops listening, without waiting for a broker that may be down. */
  close(): Promise<void>;
}
