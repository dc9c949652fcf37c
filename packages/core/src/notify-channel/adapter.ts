import { ChainwrightError } from "../model/error.ts";
import type { Clock } from "../ports/clock.ts";
import type { HintListener, Subscription, NotifyAdapter } from "../ports/notify.ts";
import { createSystemClock } from "../timing/system-clock.ts";
import type { MessageChannel } from "./channel.ts";
import { hintTexts, pingText, readText } from "./hint-text.ts";
import { createListeners } from "./listeners.ts";
import type { Listeners } from "./listeners.ts";
import { createSharedLink } from "./shared-link.ts";
import type { SharedLink } from "./shared-link.ts";
import { openWatchedLink } from "./watched-link.ts";
import type { WatchOptions } from "./watched-link.ts";
import { within } from "./within.ts";

/**
 * The options of `createChannelNotifyAdapter`.
 *
 * @example
 * const options = (mqtt: MqttClient): ChannelNotifyAdapterOptions => ({
 *   channel: mqttChannel(mqtt, "shop/hints"),
 *   clock: createVirtualClock(), // heartbeats when the test says so
 * });
 */
export interface ChannelNotifyAdapterOptions {
  readonly channel: MessageChannel;
  /** Time and randomness; a test may pass its own. */
  readonly clock?: Clock | undefined;
}

/** A broker that is down must not delay a process that publishes, even if the broker's client queues. */
const publishLimitMs = 2_000;

/**
 * Creates a notify adapter on any broker that carries short texts. One link serves all listeners. A heartbeat checks the link with
 * at most one message in two seconds, and with none while messages of others arrive.
 *
 * @example
 * function createMqttNotifyAdapter(mqtt: MqttClient, topic: string): NotifyAdapter {
 *   return createChannelNotifyAdapter({ channel: mqttChannel(mqtt, topic) });
 * }
 */
export function createChannelNotifyAdapter({
  channel,
  clock = createSystemClock(),
}: ChannelNotifyAdapterOptions): NotifyAdapter & AsyncDisposable {
  const name = createName(clock);
  /** The senders that have published through this adapter: the few clients of this process. */
  const senders = new Set<string>();
  const listeners = createListeners();
  const link = createSharedLink(() =>
    openWatchedLink({ clock, channel, pingMessage: pingText(name), ...createReceiver(channel, senders, listeners) }),
  );
  let closed: Promise<void> | undefined;
  const assertOpen = (): void => {
    if (closed !== undefined) throw new ChainwrightError("closed", "the notify adapter has been closed");
  };

  const close = (): Promise<void> => (closed ??= link.close().then(() => channel.close()));

  return {
    portVersion: 1,
    async publish(message) {
      assertOpen();
      if (message.hints.length === 0) return;
      senders.add(message.senderId);
      // Asynchronous, like a message from another process, so that listeners do not run inside the publisher's call.
      queueMicrotask(() => listeners.hear(message));
      const texts = hintTexts(message, channel.maxMessageLength);
      if (texts.length === 0) return;
      await within({ clock, limitMs: publishLimitMs, what: "publishing hints" }, (signal) =>
        channel.publish(texts, signal),
      );
    },
    async subscribe(listener) {
      assertOpen();
      return subscribe(listener, listeners, link);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Creates a name that no other adapter on the channel has, on any machine. */
function createName(clock: Clock): string {
  return Array.from(clock.randomBytes(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What happens to a text from the channel, and when its link is lost or restored. */
function createReceiver(
  { maxMessageLength }: MessageChannel,
  senders: ReadonlySet<string>,
  listeners: Listeners,
): Pick<WatchOptions, "onMessage" | "onLost" | "onRestored"> {
  return {
    onMessage(text) {
      const read = readText(text, maxMessageLength);
      const message = read?.message;
      // Listeners have received messages of this process without the broker; one that comes back only shows that messages arrive.
      if (message !== undefined && !senders.has(message.senderId)) listeners.hear(message);
      return read?.isKnown === true;
    },
    onLost: (error) => listeners.callEach((listener) => listener.onLost(error)),
    onRestored: () => listeners.callEach((listener) => listener.onRestored()),
  };
}

async function subscribe(listener: HintListener, listeners: Listeners, link: SharedLink): Promise<Subscription> {
  // The listener is added before the link is open, because hints of this process need no broker.
  const leave = listeners.add(listener);
  try {
    await link.join();
  } catch (error) {
    leave();
    throw error;
  }
  return {
    async close() {
      if (leave()) await link.leave();
    },
  };
}
