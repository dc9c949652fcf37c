import type { notifyPortVersion } from "./version.ts";

/**
 * A message between processes: something may have changed, so look. It carries names and ids, never payloads. It may be lost,
 * doubled or late: that costs time, never correctness.
 */
export type Hint =
  | {
      /** Jobs of this type became ready, or will be due. */
      readonly kind: "ready";
      /** The name under which workers claim them, see `claimName`. */
      readonly typeName: string;
      readonly count: number;
      /**
       * A random number that decides which of the waiting workers look first. Absent: all of them look at once. That is so for a type
       * that was resumed, and the name is then that of the type: it is about all its versions and pools.
       */
      readonly draw?: number;
      /** Milliseconds until the jobs are due, before which no worker has to look. Absent: they are ready. */
      readonly dueInMs?: number;
    }
  | {
      /**
       * A worker claimed that many announced jobs of this type. 0: it waits for them, or what it claimed was due and unannounced.
       */
      readonly kind: "taken";
      readonly workerId: string;
      readonly typeName: string;
      readonly count: number;
    }
  | {
      /** A worker no longer waits for jobs. */
      readonly kind: "left";
      readonly workerId: string;
    }
  | {
      /** A chain ended: processes that await it look. */
      readonly kind: "ended";
      readonly chainId: string;
    }
  | {
      /** A job was cancelled or ended from outside: the worker that runs it looks. */
      readonly kind: "interrupt";
      readonly jobId: string;
    }
  | {
      /** A job type was paused: workers ask the store which types are. */
      readonly kind: "paused";
      readonly typeName: string;
    }
  | {
      /** Places of a limit became free, and the sender has not taken them all again: jobs that wait for one may begin. */
      readonly kind: "freed";
      readonly limit: string;
      readonly count: number;
      /** A random number that decides which of the waiting workers look first. */
      readonly draw: number;
    }
  | {
      /** A chain with a deadline was started: workers cancel it then if it is still active. */
      readonly kind: "deadline";
      readonly inMs: number;
    }
  | {
      /** Schedules were changed: workers ask the store when the next one ticks. */
      readonly kind: "schedules";
    }
  | {
      /** A process watches a job: for so long, others send a `noted` when something about it has changed. */
      readonly kind: "watched";
      readonly jobId: string;
      readonly forMs: number;
    }
  | {
      /** Something about a watched job has changed: processes that watch it look. */
      readonly kind: "noted";
      readonly jobId: string;
    }
  | {
      /** Hints were dropped or cannot be read: look for everything. */
      readonly kind: "look";
    };

/** Hints of one process about one store. Many travel together. */
export interface HintMessage {
  /** The store that the hints are about. Processes of other stores ignore them. */
  readonly storeId: string;
  /** Identifies the sender, which ignores its own messages when they come back. */
  readonly senderId: string;
  readonly hints: readonly Hint[];
}

/**
 * Carries hints between processes.
 *
 * @example
 * function mute(adapter: NotifyAdapter): NotifyAdapter {
 *   return { ...adapter, publish: async () => {} }; // workers still find jobs by looking
 * }
 * const client = createClient({ stateAdapter, notifyAdapter: mute(createInProcessNotifyAdapter()), jobTypes });
 */
export interface NotifyAdapter {
  /** The version of this port that the adapter implements: the number itself, see `StateAdapter.portVersion`. */
  readonly portVersion: typeof notifyPortVersion;
  /** Sends a message to every subscriber, this process included. Rejects when it cannot be sent; the caller continues without it. */
  publish(message: HintMessage): Promise<void>;
  /** Resolves once messages published from now on will arrive. */
  subscribe(listener: HintListener): Promise<Subscription>;
  /** Closes what the adapter opened. Idempotent. */
  close(): Promise<void>;
}

/** Receives messages, and is called when some may be missing. */
export interface HintListener {
  /** `hints` may be parsed when it is first read, so compare the store and the sender first. */
  onMessage(message: HintMessage): void;
  /**
   * The subscription broke: messages may be missing from now on. The adapter reopens it by itself, unless the error is a
   * `ChainwrightError` with the code `closed`: then the broker's client has given up, and this subscription will not return.
   */
  onLost(error: unknown): void;
  /** The subscription works again: look for what was missed. */
  onRestored(): void;
}

/** The registration of a listener. Closing it twice changes nothing. */
export interface Subscription {
  close(): Promise<void>;
}
