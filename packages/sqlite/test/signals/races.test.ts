import type { JobStart, SignalItem, StateAdapter } from "chainwright/adapter";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { databasePath, jobStart, migratedStore, openStore } from "../store.ts";

const races = 2_000;
const atOnce = 50;

const until = { at: Date.now() + 1_000_000 };
const wait = (details: Partial<JobStart> = {}): JobStart => jobStart({ typeName: "b", waits: { until }, ...details });
const signalTo = (chainId: string): SignalItem => ({
  chainId,
  typeName: "b",
  signal: "s",
  payload: "1",
  signalId: undefined,
  context: undefined,
});

async function connections() {
  const path = databasePath();
  return [await migratedStore({ path }), openStore({ path })] as const;
}

async function claimAll(store: Pick<StateAdapter, "exchange">, typeName: string, now?: number) {
  const claim = { workerId: "w", types: [{ typeName, leaseMs: 60_000 }], limit: 1_000 };
  return (await store.exchange({ outcomes: [], claim }, { now })).claimed;
}

async function deliveredBy(signalling: ReturnType<StateAdapter["signal"]>): Promise<string | undefined> {
  const reply = await signalling;
  return reply.ok ? reply.value[0]?.delivered : reply.refusal.code;
}

/** Begins two calls, one of them up to three turns later, which differs from race to race. */
async function race<First, Second>(n: number, first: () => Promise<First>, second: () => Promise<Second>) {
  const after = async <T>(turns: number, call: () => Promise<T>) => {
    for (let turn = 0; turn < turns; turn += 1) await setImmediate();
    return call();
  };
  return Promise.all([after(n % 4, first), after(Math.floor(n / 4) % 4, second)]);
}

it(
  `wakes the job once, with the signal, in ${races} races of a signal on one connection against the beginning of the wait on another`,
  { timeout: 120_000 },
  async () => {
    const [ours, theirs] = await connections();
    const outcomes = new Set<string | undefined>();
    for (let done = 0; done < races; done += atOnce) {
      const starts = Array.from({ length: atOnce }, () => jobStart());
      await ours.start([{ starts }], {});
      const claimed = await claimAll(ours, "a");
      await Promise.all(
        claimed.map(async ({ id, fence }, n) => {
          const outcome = { target: { jobId: id, workerId: "w", fence }, kind: "continued", next: wait() } as const;
          const signal = () => deliveredBy(theirs.signal([signalTo(id)], {}));
          const [, delivered] = await race(n, () => ours.settle([outcome], {}), signal);
          outcomes.add(delivered);
        }),
      );
      const woken = await claimAll(ours, "b");
      expect(woken.map(({ chainId }) => chainId).toSorted()).toEqual(starts.map(({ id }) => id).toSorted());
      expect(woken.map(({ received }) => received?.length)).toEqual(woken.map(() => 1));
      const ends = woken.map(({ id, fence }) => {
        const target = { jobId: id, workerId: "w", fence };
        return { target, kind: "completed", output: "1" } as const;
      });
      await ours.settle(ends, {});
    }
    expect(outcomes).toEqual(new Set(["buffered", "taken"]));
    expect(await claimAll(ours, "b", until.at + 1)).toEqual([]);
  },
);

it(
  `wakes the job once in ${races} races of a signal on one connection against the end of the wait's time on another`,
  { timeout: 120_000 },
  async () => {
    const [ours, theirs] = await connections();
    const over = until.at + 1;
    const outcomes = new Set<string | undefined>();
    for (let n = 0; n < races; n += 1) {
      const start = wait();
      await ours.start([{ starts: [start] }], {});
      const [first, delivered] = await race(
        n,
        () => claimAll(ours, "b", over),
        () => deliveredBy(theirs.signal([signalTo(start.id)], { now: over })),
      );
      const woken = first.length > 0 ? first : await claimAll(ours, "b", over);
      expect(woken.map(({ id }) => id)).toEqual([start.id]);
      expect(woken[0]?.received?.length).toBe(delivered === "taken" ? 1 : 0);
      const stored = await ours.listSignals({ chainId: start.id, after: undefined, limit: 10 }, {});
      expect(stored.map(({ takenBy }) => takenBy)).toEqual([delivered === "taken" ? start.id : undefined]);
      outcomes.add(delivered);
      const target = { jobId: start.id, workerId: "w", fence: woken[0]?.fence ?? 0 };
      await ours.settle([{ target, kind: "completed", output: "1" }], {});
    }
    expect(outcomes).toEqual(new Set(["buffered", "taken"]));
  },
);
