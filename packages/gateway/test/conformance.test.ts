import { equal } from "node:assert/strict";
import { testCases } from "@chainwright/backends/vitest";
import { behaviourConformance } from "@chainwright/conformance";
import { afterAll, describe, expect, test, vi } from "vitest";
import { behind, overHttp } from "./over-http/client.ts";
import type { Doors } from "./over-http/doors.ts";
import { outOfReach } from "./over-http/out-of-reach.ts";
import { reasons } from "./over-http/reasons.ts";
import { runCase } from "./over-http/run-case.ts";
import type { GivenProcessors, GivenWorker } from "./over-http/policies.ts";
import { createHttpWorker } from "./over-http/worker.ts";
import { stores } from "./stores.ts";

const doors = vi.hoisted<{ open: Doors | undefined }>(() => ({ open: undefined }));

vi.mock("chainwright", async (importOriginal) => {
  const real: Record<string, unknown> = await importOriginal();
  const { createClient, createWorker, createProcessors } = real as Record<string, (options: object) => object>;
  const given = new WeakMap<object, object>();
  return {
    ...real,
    createClient: (options: object) => doors.open?.client(createClient?.(options) as never),
    createProcessors: (options: { client: never }) => {
      const processors = createProcessors?.({ ...options, client: doors.open?.behind(options.client) }) ?? {};
      given.set(processors, options);
      return processors;
    },
    createWorker: (options: { client: never; processors: readonly object[] }) => {
      createWorker?.({ ...options, client: doors.open?.behind(options.client) });
      return doors.open?.worker(
        options,
        options.processors.map((each) => given.get(each) ?? {}),
      );
    },
  };
});

doors.open = {
  client: overHttp,
  behind,
  worker: (given, processors) => createHttpWorker(given as GivenWorker, processors as readonly GivenProcessors[]),
};

/** Cases that were given up, and end by themselves. */
const left: Promise<unknown>[] = [];
afterAll(async () => void (await Promise.all(left)));

const without = { userTable: "a transaction of the caller", rowLocks: "a transaction of the caller" };
/** On other stores than the first, cases whose reasons a run finds are left out: they are the same there. */
const [first] = stores;

/** Why a case cannot go over HTTP, as its run finds it. Undefined: it has gone over HTTP, and its rule holds. */
async function reasonFoundBy(run: () => Promise<void>): Promise<string | undefined> {
  const { end, left: rest } = await runCase(run);
  left.push(rest);
  return end.outOfReach ?? (end.requests === 0 ? reasons.nothing : undefined);
}

const { found, named } = outOfReach;

for (const { name: store, make, isMissing } of stores)
  describe.skipIf(isMissing)(`clients and workers over HTTP, on ${store}`, () => {
    const createState = async () => {
      const { stateAdapter: adapter, close } = await make();
      return { adapter, close };
    };
    const cases = behaviourConformance({ createState, without }).filter(({ skipped }) => skipped === undefined);
    const reasonOf = (name: string) => named.get(name) ?? (store === first?.name ? undefined : found.get(name));
    const overHttpCases = cases.map(({ name, run }) => ({
      name,
      skipped: reasonOf(name),
      run: async () => equal(await reasonFoundBy(run), found.get(name)),
    }));
    testCases(overHttpCases, { timeout: 60_000 });

    test("each case that is named as out of reach is one of the suite, and is named once", () => {
      const names = new Set(cases.map(({ name }) => name));
      const listed = [...found.keys(), ...named.keys()];
      expect(listed.filter((name) => !names.has(name))).toEqual([]);
      expect(listed).toHaveLength(new Set(listed).size);
    });
  });
