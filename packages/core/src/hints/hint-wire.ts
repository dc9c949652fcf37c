import type { ChainwrightEvent } from "../model/event.ts";
import type { Clock } from "../ports/clock.ts";
import type { Hint, HintMessage, NotifyAdapter } from "../ports/notify.ts";
import { createHintDelivery } from "./deliver-hints.ts";
import { openHintSubscription, type HintSubscription } from "./hint-subscription.ts";
import { createNotificationState, type NotificationState } from "./notification-state.ts";

export interface WireOptions {
  readonly clock: Clock;
  readonly notify: NotifyAdapter;
  readonly storeId: () => Promise<string>;
  readonly record: (events: readonly ChainwrightEvent[]) => void;
  /** Receives the hints of other processes that use this store. */
  readonly hear: (hints: readonly Hint[]) => void;
  /** Hints may have been missed. */
  readonly lookEverywhere: () => void;
  /** From now on hints of other processes arrive. */
  readonly meet: () => void;
  /** Whether anything in this process listens. */
  readonly isHeard: () => boolean;
}

/** The connection to other processes over the notify adapter. */
export interface HintWire {
  readonly state: NotificationState;
  send(hints: readonly Hint[]): void;
  /** Opens the subscription if it has not been opened. Resolves when it is open, or when opening it has failed for now. */
  open(): Promise<void>;
  /** Whether the subscription is open and works. */
  isOpen(): boolean;
  close(): Promise<void>;
}

export function createHintWire({
  clock,
  notify,
  storeId,
  record,
  hear,
  lookEverywhere,
  meet,
  isHeard,
}: WireOptions): HintWire {
  const senderId = randomName(clock);
  const state: NotificationState = createNotificationState(record, lookEverywhere);
  let ownStore: string | undefined;
  let subscription: HintSubscription | undefined;
  let isOpen = false;

  const knowStore = async (): Promise<string> => (ownStore ??= await storeId());
  const delivery = createHintDelivery({
    clock,
    publish: async (hints) => await notify.publish({ storeId: await knowStore(), senderId, hints }),
    onSent: () => state.restored("publishing"),
    onFailed: (error) => state.lost("publishing", error),
    keepsTrying: isHeard,
  });
  const onMessage = (message: HintMessage): void => {
    // Hints of this process were delivered without the broker. Hints of other stores are ignored.
    if (message.storeId === ownStore && message.senderId !== senderId) hear(message.hints);
  };
  const open = (): HintSubscription =>
    openHintSubscription({
      clock,
      notify,
      ready: knowStore,
      onMessage,
      onLost(error) {
        isOpen = false;
        state.lost("listening", error);
      },
      onOpen() {
        isOpen = true;
        state.restored("listening");
        lookEverywhere();
        meet();
      },
    });

  return {
    state,
    send: delivery.send,
    open: (): Promise<void> => (subscription ??= open()).opened,
    isOpen: () => isOpen,
    async close(): Promise<void> {
      delivery.close();
      await subscription?.close();
      await delivery.idle();
    },
  };
}

/** Identifies this client among those that share a channel. */
function randomName(clock: Clock): string {
  return Array.from(clock.randomBytes(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
