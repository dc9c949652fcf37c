/** Runs work as soon as fewer than a number of others run, in the order in which it came. */
export type AtMost = <T>(run: () => Promise<T>) => Promise<T>;

export function createAtMost(most: number): AtMost {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (run) => {
    // Whoever ends hands its place on: nobody comes between.
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
