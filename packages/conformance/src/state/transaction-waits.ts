import { holds } from "../check.ts";
import { job } from "./build.ts";
import { rules } from "./group.ts";

/** How long a transaction stays open, and the longest pause of timers beside it: libraries that wait do so for seconds. */
const [openMs, longestMs] = [100, 2_000];

export const transactionWaitCases = rules("transaction", {
  "a call that waits for the open transaction of another connection does not stop the process": async (fixture) => {
    const other = await fixture.connect();
    const begun = Promise.withResolvers<void>();
    const pulse = watchTimers();
    const open = fixture.transact(async (tx) => {
      await fixture.startOne(job("a"), tx);
      begun.resolve();
      await new Promise((resolve) => setTimeout(resolve, openMs));
    });
    await Promise.all([open, begun.promise.then(() => other.insist(() => other.startOne(job("b"))))]);
    const pauseMs = pulse.stop();
    holds("timers run while the call waits", pauseMs < longestMs, `no timer ran for ${Math.round(pauseMs)} ms`);
  },
});

/** Measures the longest time in which no timer ran. */
function watchTimers(): { stop(): number } {
  let before = performance.now();
  let longest = 0;
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - before);
    before = now;
  };
  const timer = setInterval(look, 10);
  return {
    stop() {
      clearInterval(timer);
      look();
      return longest;
    },
  };
}
