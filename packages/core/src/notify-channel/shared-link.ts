import { isForGood } from "../hints/notification-state.ts";
import type { WatchedLink } from "./watched-link.ts";

/** The link of an adapter, open while it has members. */
export interface SharedLink {
  /** Resolves when messages arrive; a member whose join is rejected has already left. */
  readonly join: () => Promise<void>;
  readonly leave: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** One link for all subscriptions: the first one opens it, and the last one closes it. */
export function createSharedLink(open: () => Promise<WatchedLink>): SharedLink {
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
    async join() {
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

function stillLost(): Error {
  return new Error("the subscription of this process was lost and is being opened again.");
}
