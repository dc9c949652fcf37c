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
  /** Takes hints of other processes of this store. */
  readonly hear: (hints: readonly Hint[]) => void;
  /** Hints may have been missed. */
  readonly lookEverywhere: () => void;
  /** From now on others are heard. */
  readonly meet: () => void;
  /** Whether anybody in this process listens. */
  readonly isHeard: () => boolean;
}

/** The way to other processes, and back. */
export interface HintWire {
  readonly state: NotificationState;
  send(hints: readonly Hint[]): void;
  /** Opens the subscription unless that was done before. Resolves once it is open, or when it is known that it is not for now. */
  open(): Promise<void>;
  /** Whether the subscription is open and works. */
  isOpen(): boolean;
  close(): Promise<void>;
}

/** The way to other processes, and back. */
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
    // Its own hints were heard without the broker. Those of other stores are not even read.
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

/** Tells clients apart, not machines: no two that share a channel have the same. */
function randomName(clock: Clock): string {
  return Array.from(clock.randomBytes(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
