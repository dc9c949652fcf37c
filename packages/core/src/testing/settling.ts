/** Waits for what needs no time of a virtual clock: promises, turns of the event loop, and calls that take real time. */
export interface Settling {
  /** `settle` waits for this work. */
  readonly holdDuring: (work: Promise<unknown>) => void;
  /** Resolves when nothing happens any more until the clock advances. */
  settle(): Promise<void>;
}

/** Work that takes longer counts as hanging, and is not waited for. In real milliseconds. */
const longestHoldMs = 10_000;

export function createSettling(): Settling {
  const underWay = new Set<Promise<void>>();
  return {
    holdDuring(work) {
      const held = endOf(work).finally(() => underWay.delete(held));
      underWay.add(held);
    },
    async settle() {
      await takeTurns();
      while (underWay.size > 0) {
        await Promise.race(underWay);
        await takeTurns();
      }
    },
  };
}

async function takeTurns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Resolves when the work has ended, in whatever way, or hangs. */
async function endOf(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const hangs = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, longestHoldMs);
  });
  await Promise.race([hangs, work.then(noResult, noResult)]);
  clearTimeout(timer);
}

function noResult(): void {}
