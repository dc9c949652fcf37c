import type { NotifyAdapter } from "chainwright/adapter";

/**
 * A channel of its own for one case, and an adapter on it.
 *
 * @example
 * async function createBackend(mqtt: MqttClient): Promise<NotifyBackend> {
 *   const topic = `test-${crypto.randomUUID()}`; // a channel of its own for every case
 *   const connect = async () => createChannelNotifyAdapter({ channel: mqttChannel(mqtt, topic) });
 *   return { adapter: await connect(), connect, say: (text) => mqtt.publish(topic, text), close: async () => {} };
 * }
 */
export interface NotifyBackend {
  readonly adapter: NotifyAdapter;
  /**
   * Another adapter on the same channel, with connections of its own, as another process would have; the suite closes it.
   * Left out: the same adapter serves, for adapters that live in one process.
   */
  connect?(): Promise<NotifyAdapter>;
  /** An adapter on another channel of the same broker; the suite closes it. See `without`. */
  elsewhere?(): Promise<NotifyAdapter>;
  /** Puts a text on the channel that no adapter wrote. See `without`. */
  say?(text: string): Promise<void>;
  /** Ends the connections over which adapters listen on the channel, as a broker does that is restarted. See `without`. */
  breakLinks?(): Promise<void>;
  /** Lets go of what the application would have opened. The suite has closed the adapters before. */
  close(): Promise<void>;
}

/**
 * What some rules need beyond the port.
 *
 * @example
 * const without: Partial<Record<NotifyNeed, string>> = { breakLinks: "there are no connections to break" };
 * const cases = notifyConformance({ createAdapter, without });
 */
export type NotifyNeed = "elsewhere" | "say" | "breakLinks";

/**
 * What `notifyConformance` takes.
 *
 * @example
 * const options: NotifyConformanceOptions = {
 *   createAdapter: async () => ({ adapter: createMyNotifyAdapter(), close: async () => {} }),
 *   without: { elsewhere: "it has one channel", say: "only adapters can write", breakLinks: "it has no connections" },
 * };
 * console.log(`${notifyConformance(options).length} rules`);
 */
export interface NotifyConformanceOptions {
  /** Only these parts of the suite: the text before the colon in the names of cases. Left out: all. */
  readonly areas?: readonly string[] | undefined;
  /** Called once a case. */
  readonly createAdapter: () => Promise<NotifyBackend>;
  /** What this backend does not offer, and why: its cases are listed as skipped for that reason. */
  readonly without?: Readonly<Partial<Record<NotifyNeed, string>>> | undefined;
}
