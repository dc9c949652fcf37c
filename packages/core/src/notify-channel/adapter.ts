import { ChainwrightError } from "../model/error.ts";
import type { Clock } from "../ports/clock.ts";
import type { HintListener, HintMessage, NotifyAdapter } from "../ports/notify.ts";
import { createSystemClock } from "../timing/system-clock.ts";
import { isForGood } from "../hints/notification-state.ts";
import type { MessageChannel } from "./channel.ts";
import { hintTexts, pingText, readText } from "./hint-text.ts";
import { openWatchedLink } from "./watched-link.ts";
import type { WatchedLink } from "./watched-link.ts";
import { within } from "./within.ts";

/**
 * What `createChannelNotifyAdapter` takes.
 *
 * @example
 * const options = (mqtt: MqttClient): ChannelNotifyAdapterOptions => ({
 *   channel: mqttChannel(mqtt, "shop/hints"),
 *   clock: createVirtualClock(), // heartbeats when the test says so
 * });
 */
export interface ChannelNotifyAdapterOptions {
  readonly channel: MessageChannel;
  /** Time and chance; a test may give its own. */
  readonly clock?: Clock | undefined;
}

/** A broker that is away must not delay a process that publishes, whatever the broker's client queues. */
const publishLimitMs = 2_000;

/**
 * A notify adapter on any broker that carries short texts: what all of them have in common. One link serves all listeners;
 * it is watched by a heartbeat of at most one message in two seconds, and none while others are heard.
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
  /** Those that have published through this adapter: the clients of this process, of which there are few. */
  const senders = new Set<string>();
  const listeners = createListeners();
  const link = createSharedLink({
    open: () =>
      openWatchedLink({
        clock,
        channel,
        pingMessage: pingText(name),
        onMessage(text) {
          const read = readText(text, channel.maxMessageLength);
          const message = read?.message;
          // What was published here was heard without the broker; that it came back says that messages arrive.
          if (message !== undefined && !senders.has(message.senderId)) listeners.hear(message);
          return read?.isKnown === true;
        },
        onLost: (error) => listeners.tell((listener) => listener.onLost(error)),
        onRestored: () => listeners.tell((listener) => listener.onRestored()),
      }),
  });
  let closed: Promise<void> | undefined;
  const assertOpen = (): void => {
    if (closed !== undefined) throw new ChainwrightError("closed", "the notify adapter has been closed");
  };

  const close = (): Promise<void> => (closed ??= link.close().then(() => channel.close()));

  return {
    async publish(message) {
      assertOpen();
      if (message.hints.length === 0) return;
      senders.add(message.senderId);
      // Later, as from another process: the publisher is not in the middle of what a listener does.
      queueMicrotask(() => listeners.hear(message));
      const texts = hintTexts(message, channel.maxMessageLength);
      if (texts.length === 0) return;
      await within({ clock, limitMs: publishLimitMs, what: "publishing hints" }, (signal) =>
        channel.publish(texts, signal),
      );
    },
    async subscribe(listener) {
      assertOpen();
      // Before the link is open: what is published in this process needs no broker.
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
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Tells adapters apart, not machines: no two that share a channel have the same. */
function createName(clock: Clock): string {
  return Array.from(clock.randomBytes(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function createListeners() {
  // By subscription, for one listener may subscribe twice.
  const all = new Map<symbol, HintListener>();
  const tell = (say: (listener: HintListener) => void): void => {
    for (const listener of all.values()) {
      try {
        say(listener);
      } catch {
        // A hint may be lost; one listener's fault must not reach another one, nor the publisher.
      }
    }
  };
  return {
    tell,
    hear(message: HintMessage): void {
      tell((listener) => listener.onMessage(message));
    },
    /** Returns a function that removes the listener and reports whether it was still there. */
    add(listener: HintListener): () => boolean {
      const subscription = Symbol("subscription");
      all.set(subscription, listener);
      return () => all.delete(subscription);
    },
  };
}

function stillLost(): Error {
  return new Error("the subscription of this process was lost and is being opened again.");
}

/** One link for however many: opened by the first, closed by the last. */
function createSharedLink({ open }: { readonly open: () => Promise<WatchedLink> }) {
  let members = 0;
  let opened: Promise<WatchedLink> | undefined;

  const close = async (): Promise<void> => {
    const closing = opened;
    opened = undefined;
    await closing?.then((link) => link.close()).catch(() => undefined);
  };
  const leave = async (): Promise<void> => {
    members -= 1;
    if (members === 0) await close();
  };
  return {
    async join(): Promise<void> {
      members += 1;
      try {
        const { lost } = await (opened ??= open());
        if (lost !== undefined) throw isForGood(lost.error) ? lost.error : stillLost();
      } catch (error) {
        await leave();
        throw error;
      }
    },
    leave,
    close,
  };
}
