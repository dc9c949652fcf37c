import type { Clock } from "../ports/clock.ts";
import type { RemoteLease } from "./types.ts";

/** The leases that were dealt out here and have neither ended nor run out, as far as is known here. */
export interface DealtLeases {
  add(lease: RemoteLease, leaseMs: number): void;
  /** Does nothing for a lease that was dealt out elsewhere. */
  extend(lease: RemoteLease, leaseMs: number): void;
  /** Its outcome is settled, or it is lost. */
  remove(lease: Pick<RemoteLease, "id" | "fence">): void;
  /** How many there are now. */
  count(): number;
}

interface Dealt {
  readonly fence: number;
  readonly endsAt: number;
}

export function createDealtLeases(clock: Clock): DealtLeases {
  const dealt = new Map<string, Dealt>();
  const put = ({ id, fence }: RemoteLease, leaseMs: number): void => {
    dealt.set(id, { fence, endsAt: clock.now() + leaseMs });
  };
  return {
    add: put,
    extend(lease, leaseMs) {
      if (dealt.get(lease.id)?.fence === lease.fence) put(lease, leaseMs);
    },
    remove({ id, fence }) {
      if (dealt.get(id)?.fence === fence) dealt.delete(id);
    },
    count() {
      const now = clock.now();
      for (const [id, { endsAt }] of dealt) if (endsAt <= now) dealt.delete(id);
      return dealt.size;
    },
  };
}
