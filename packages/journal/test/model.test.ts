import { createInProcessStateAdapter } from "chainwright";
import type { StateAdapter } from "chainwright/adapter";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { calls, make, type Call, type Progress } from "./calls.ts";
import { createFakeDisk } from "./fake-disk.ts";
import { allChains } from "./jobs.ts";
import { openOn } from "./work.ts";

/** `MODEL_RUNS=10000` makes a long run. */
const runs = Number(process.env["MODEL_RUNS"] ?? 150);

/** A call, and whether the journal is opened again after it. */
const steps = fc.tuple(calls, fc.infiniteStream(fc.nat(9)));

const beginning = (): Progress => ({ now: Date.UTC(2030, 0, 1), jobs: 0, chains: [] });

it(
  "replies and keeps what the in-process store does, however often it is opened again",
  { timeout: 600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, async ([history, chances]) => await play(history, chances)),
      { numRuns: runs, seed: 27 },
    );
  },
);

async function play(history: readonly Call[], chances: Iterator<number>): Promise<void> {
  const plain = createInProcessStateAdapter();
  const [ofPlain, ofJournal] = [beginning(), beginning()];
  let disk = createFakeDisk();
  let { store } = await openOn(disk);
  for (const call of history) {
    expect(await make(store, call, ofJournal), JSON.stringify(call)).toEqual(await make(plain, call, ofPlain));
    if (chances.next().value === 0) {
      await store.close();
      disk = createFakeDisk(disk.files());
      ({ store } = await openOn(disk));
    }
    expect(await contentOf(store, ofJournal), `after ${JSON.stringify(call)}`).toEqual(await contentOf(plain, ofPlain));
  }
  await store.close();
  await plain.close();
}

async function contentOf(store: StateAdapter<object>, { now, chains }: Progress): Promise<unknown> {
  const { tags: _, key: __, ...allJobs } = allChains;
  return [
    await store.listChains(allChains, { now }),
    await store.listJobs({ ...allJobs, chainId: undefined, blockedBy: undefined }, { now }),
    (await store.count({ now })).map((each) => JSON.stringify(each)).sort(),
    await store.listPauses({ now }),
    await store.getKeyHolders(["k", "l"], { now }),
    await Promise.all(
      chains.map(async (chainId) => await store.listSignals({ chainId, after: undefined, limit: 100 }, { now })),
    ),
  ];
}
