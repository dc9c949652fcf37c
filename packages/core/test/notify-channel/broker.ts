import { ChainwrightError } from "../../src/model/error.ts";
import type { ChannelListener, MessageChannel } from "../../src/notify-channel/index.ts";

interface BrokerOptions {
  readonly maxMessageLength?: number;
  /** Whether links have a `probe`. */
  readonly probes?: boolean;
}

function fail(): never {
  throw new Error("the link is broken");
}

/** A broker with faults that a test sets. */
export interface Broker {
  channel(): MessageChannel;
  /** Messages that were published, pings included. */
  readonly published: string[];
  /** The number of open links. */
  readonly links: number;
  /** How often `open` was called. */
  readonly opened: number;
  /** `gone`: its client has given up. */
  fault: "none" | "gone" | "refuses" | "hangs" | "delivers-nothing" | "refuses-to-publish";
  /** Ends every connection. */
  breakLinks(error: unknown): void;
  /** Delivers a text that no adapter wrote. */
  say(text: string): void;
}

export function createBroker(options: BrokerOptions = {}): Broker {
  const links = new Set<ChannelListener>();
  const published: string[] = [];
  const deliver = (text: string): void => {
    for (const link of links) setImmediate(() => links.has(link) && link.onMessage(text));
  };
  let opened = 0;

  const broker: Broker = {
    fault: "none",
    published,
    get links() {
      return links.size;
    },
    get opened() {
      return opened;
    },
    breakLinks(error) {
      const broken = [...links];
      links.clear();
      for (const link of broken) link.onBroken(error);
    },
    say: deliver,
    channel: () => ({
      maxMessageLength: options.maxMessageLength ?? 1_000,
      async publish(messages) {
        if (broker.fault === "refuses-to-publish" || broker.fault === "refuses") throw new Error("publishing refused");
        if (broker.fault === "hangs") await new Promise<never>(() => {});
        published.push(...messages);
        if (broker.fault !== "delivers-nothing") messages.forEach(deliver);
      },
      async open(listener, signal) {
        opened += 1;
        if (broker.fault === "gone") throw new ChainwrightError("closed", "the client has given up");
        if (broker.fault === "refuses") throw new Error("connection refused");
        if (broker.fault === "hangs") {
          await new Promise<never>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        }
        links.add(listener);
        const link = { close: async () => void links.delete(listener) };
        return options.probes === true ? { ...link, probe: async () => void (links.has(listener) || fail()) } : link;
      },
      close: async () => {},
    }),
  };
  return broker;
}
