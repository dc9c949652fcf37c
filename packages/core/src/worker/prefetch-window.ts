/**
 * How many jobs to claim ahead of the slots: as many as end during one round trip (Little's law), so that slots never wait
 * for the store. Where slots stood empty it doubles; where jobs take longer than a round trip it falls to nothing, so that
 * long jobs are left to workers with free slots.
 */
export interface Window {
  /** The size now. */
  readonly size: number;
  /** Told after each round trip. */
  adjust(round: { readonly finished: number; readonly starved: boolean }): void;
}

export function createWindow(largest: number): Window {
  let size = 0;
  return {
    get size() {
      return size;
    },
    adjust({ finished, starved }) {
      size = Math.min(largest, starved ? finished * 2 : finished);
    },
  };
}
