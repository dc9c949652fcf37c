/**
 * A nudge between processes: something may be worth a look. It carries names and ids, never payloads, and may be lost,
 * doubled or late: that costs time, never correctness.
 *
 * @example
 * const mailsAreReady: Hint = { kind: "ready", typeName: "mail.send", count: 3 };
 * await notifyAdapter.publish([mailsAreReady]); // idle workers that handle mails have a look
 */
export type Hint =
  | {
      /** Jobs of this type became ready. */
      readonly kind: "ready";
      readonly typeName: string;
      readonly count: number;
      /** Any number; which of the waiting workers come first follows from it. Absent: all of them look. */
      readonly draw?: number;
    }
  | {
      /** A worker took jobs of this type; with a count of 0 it says that it waits for them. */
      readonly kind: "taken";
      readonly workerId: string;
      readonly typeName: string;
      readonly count: number;
    }
  | {
      /** A worker waits for jobs no more. */
      readonly kind: "left";
      readonly workerId: string;
    }
  | {
      /** A chain ended: whoever awaits it may look. */
      readonly kind: "ended";
      readonly chainId: string;
    }
  | {
      /** A job was cancelled or ended from outside: the worker that runs it may look. */
      readonly kind: "interrupt";
      readonly jobId: string;
    };

/**
 * Carries hints between processes. Many hints travel in one message.
 *
 * @example
 * function mute(adapter: NotifyAdapter): NotifyAdapter {
 *   return { ...adapter, publish: async () => {} }; // work goes on, found by looking
 * }
 * const client = createClient({ stateAdapter, notifyAdapter: mute(createInProcessNotifyAdapter()), jobTypes });
 */
export interface NotifyAdapter {
  /** Sends hints to every subscriber, this process included. Rejects when they cannot be sent; callers go on. */
  publish(hints: readonly Hint[]): Promise<void>;
  /** Resolves once hints published from now on will arrive. */
  subscribe(listener: HintListener): Promise<Subscription>;
  /** Lets go of what the adapter opened. Idempotent. */
  close(): Promise<void>;
}

/**
 * Told of hints, and of the times when some may be missing.
 *
 * @example
 * const listener: HintListener = {
 *   onHints: (hints) => console.log(hints.map(({ kind }) => kind)),
 *   onLost: (error) => logger.warn(error),
 *   onRestored: () => logger.info("hints arrive again: look for what was missed"),
 * };
 * await notifyAdapter.subscribe(listener);
 */
export interface HintListener {
  onHints(hints: readonly Hint[]): void;
  /** The subscription broke: hints may be missing from now on. The adapter reopens it by itself. */
  onLost(error: unknown): void;
  /** It stands again: what was missed has to be looked for. */
  onRestored(): void;
}

/**
 * A listener's place; closing it twice changes nothing.
 *
 * @example
 * const silent = { onHints() {}, onLost() {}, onRestored() {} };
 * const subscription: Subscription = await notifyAdapter.subscribe(silent);
 * await subscription.close();
 */
export interface Subscription {
  close(): Promise<void>;
}
