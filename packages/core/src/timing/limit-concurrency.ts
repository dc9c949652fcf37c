/** Runs work as soon as fewer than a number of other calls run, in the order of the calls. */
export type AtMost = <T>(run: () => Promise<T>) => Promise<T>;

export function createAtMost(most: number): AtMost {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (run) => {
    // A call that ends passes its place to the next one, so that no later call overtakes it.
    if (running < most) running += 1;
    else await new Promise<void>((resolve) => void waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
