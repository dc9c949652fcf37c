import { drawOf, mixed } from "./hash.ts";

/** The workers that wait for jobs of one type, in an order that follows from a draw and is the same for all who know them. */
export interface Members {
  size(): number;
  has(id: string): boolean;
  /** It was heard: it waits, and has missed no turn. */
  join(id: string): void;
  leave(id: string): void;
  /** How many others come before a worker. */
  rankOf(id: string, draw: number): number;
  /** Those up to this rank, but for one, have missed a turn; who misses too many counts as gone. */
  letPass(lastRank: number, takerId: string, draw: number): void;
}

/** The most workers known. With more, turns are less even; a forged list of them costs no memory. */
const mostMembers = 1_000;
/** Turns that a worker lets pass in silence before it counts as gone. */
const mostMissed = 3;

interface Member {
  readonly code: number;
  /** Turns it let pass since it was last heard. */
  missed: number;
}

export function createMembers(): Members {
  const members = new Map<string, Member>();
  return {
    size: () => members.size,
    has: (id) => members.has(id),
    join(id) {
      if (members.size < mostMembers || members.has(id)) members.set(id, { code: drawOf(id), missed: 0 });
    },
    leave: (id) => void members.delete(id),
    rankOf(id, draw) {
      const own = mixed(draw, members.get(id)?.code ?? drawOf(id));
      let rank = 0;
      for (const { code } of members.values()) if (mixed(draw, code) < own) rank += 1;
      return rank;
    },
    letPass(lastRank, takerId, draw) {
      const order = Array.from(members.values(), ({ code }) => mixed(draw, code)).sort((left, right) => left - right);
      const last = order[lastRank] ?? Infinity;
      for (const [id, member] of members) {
        if (id === takerId || mixed(draw, member.code) > last) continue;
        member.missed += 1;
        if (member.missed >= mostMissed) members.delete(id);
      }
    },
  };
}
