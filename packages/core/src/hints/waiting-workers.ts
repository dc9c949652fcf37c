import { hashOf, mixHashes } from "../model/hash.ts";

/** The workers that wait for jobs of one type, in an order that is computed from a draw and is the same in all processes. */
export interface WaitingWorkers {
  size(): number;
  has(id: string): boolean;
  /** A hint of the worker arrived: it waits, and has missed no turn. */
  join(id: string): void;
  leave(id: string): void;
  /** How many others come before a worker. */
  rankOf(id: string, draw: number): number;
  /** The workers up to this rank, except the taker, have missed a turn. One that misses too many is removed. */
  missTurn(lastRank: number, takerId: string, draw: number): void;
}

/** The most workers known. With more, turns are less even; a forged list of workers uses no more memory. */
const mostWorkers = 1_000;
/** After so many missed turns a worker counts as gone. */
const mostMissed = 3;

interface WaitingWorker {
  readonly hash: number;
  /** Turns it missed since its last hint. */
  missed: number;
}

export function createWaitingWorkers(): WaitingWorkers {
  const workers = new Map<string, WaitingWorker>();
  return {
    size: () => workers.size,
    has: (id) => workers.has(id),
    join(id) {
      if (workers.size < mostWorkers || workers.has(id)) workers.set(id, { hash: hashOf(id), missed: 0 });
    },
    leave: (id) => void workers.delete(id),
    rankOf(id, draw) {
      const own = mixHashes(draw, workers.get(id)?.hash ?? hashOf(id));
      let rank = 0;
      for (const { hash } of workers.values()) if (mixHashes(draw, hash) < own) rank += 1;
      return rank;
    },
    missTurn(lastRank, takerId, draw) {
      const order = Array.from(workers.values(), ({ hash }) => mixHashes(draw, hash)).sort(
        (left, right) => left - right,
      );
      const last = order[lastRank] ?? Infinity;
      for (const [id, worker] of workers) {
        if (id === takerId || mixHashes(draw, worker.hash) > last) continue;
        worker.missed += 1;
        if (worker.missed >= mostMissed) workers.delete(id);
      }
    },
  };
}
