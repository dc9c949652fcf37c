import {
  createClient,
  createProcessors,
  createWorker,
  defineJobTypes,
  defineVersions,
  stored,
  type Client,
  type Env,
  type JobTypes,
  type Versions,
  type Worker,
} from "chainwright";
import type { AppFixture } from "./fixture.ts";

/*
 * Three releases of one application. A later one reads what an earlier one stored. `order` continues with `charge`, whose input changes
 * in release 2 and 3 and whose output changes in release 2; `report` waits for orders.
 */

const firstTypes = defineJobTypes<{
  order: { entry: true; input: { id: string }; continueWith: "charge" };
  charge: { entry: true; input: { amount: number }; output: { risk: number } };
  report: { entry: true; input: null; output: string; blockers: ["order"] };
}>();

const secondTypes = defineJobTypes<{
  order: { entry: true; input: { id: string }; continueWith: "charge" };
  charge: { entry: true; input: { cents: number }; output: { score: number } };
  report: { entry: true; input: null; output: string; blockers: ["order"] };
}>();

export const thirdTypes = defineJobTypes<{
  order: { entry: true; input: { id: string }; continueWith: "charge" };
  charge: { entry: true; input: { cents: number; currency: string }; output: { score: number } };
  report: { entry: true; input: null; output: string; blockers: ["order"] };
}>();

const cents = stored<{ amount: number }>().then(({ amount }) => ({ cents: amount * 100 }), {
  back: (v2) => ({ amount: v2.cents / 100 }),
});
const currencies = cents.then((v2) => ({ ...v2, currency: "EUR" }), {
  back: (v3) => ({ cents: v3.cents }),
});
const scores = stored<{ risk: number }>().then(({ risk }) => ({ score: risk }));

const secondVersions = defineVersions({
  jobTypes: secondTypes,
  inputs: { charge: cents },
  outputs: { charge: scores },
});
const thirdVersions = defineVersions({
  jobTypes: thirdTypes,
  inputs: { charge: currencies },
  outputs: { charge: scores },
});
/** Release 3 while workers of release 2 are still there. */
const carefulVersions = defineVersions({
  jobTypes: thirdTypes,
  inputs: { charge: currencies },
  outputs: { charge: scores },
  writes: { charge: 2 },
});

type Third = typeof thirdVersions extends Versions<infer Types> ? Types : never;

const base = ({ state, notify, clock, eventLog }: AppFixture) => ({
  stateAdapter: state.adapter,
  notifyAdapter: notify?.adapter,
  clock,
  observers: [eventLog.observer],
});

/** The clients of the releases on the store of a case; they are closed at its end. */
export async function withReleases(
  fixture: AppFixture,
  run: (releases: ReturnType<typeof releasesOn>) => Promise<void>,
): Promise<void> {
  const releases = releasesOn(fixture);
  try {
    await run(releases);
  } finally {
    await Promise.all(releases.workers.map((worker) => worker.stop({ timeoutMs: 0 })));
    for (const close of releases.closers) await close();
  }
}

function releasesOn(fixture: AppFixture) {
  const first = createClient({ ...base(fixture), jobTypes: firstTypes });
  const second = createClient({ ...base(fixture), jobTypes: secondTypes, versions: [secondVersions] });
  const third = createClient({ ...base(fixture), jobTypes: thirdTypes, versions: [thirdVersions] });
  const careful = createClient({ ...base(fixture), jobTypes: thirdTypes, versions: [carefulVersions] });
  const workers: Worker[] = [];
  const closers = [first, second, third, careful].map((client) => () => client.close());
  /** Inputs of `charge` in the order in which handlers read them, with the release of the worker. */
  const read: unknown[] = [];

  const begin = async (worker: Worker): Promise<Worker> => {
    workers.push(worker);
    await worker.start();
    return worker;
  };
  /** Release 3 with versions that a case makes. */
  const thirdWith = (versions: Versions<Third>): typeof third => {
    const client = createClient({ ...base(fixture), jobTypes: thirdTypes, versions: [versions] });
    closers.push(() => client.close());
    return client;
  };
  return {
    first,
    second,
    third,
    careful,
    thirdWith,
    workFirst: () =>
      begin(createWorker({ ...looksOften, codeVersion: 1, client: first, processors: [firstHandlers(first, read)] })),
    workSecond: () =>
      begin(
        createWorker({ ...looksOften, codeVersion: 2, client: second, processors: [secondHandlers(second, read)] }),
      ),
    workThird: (client: typeof third = third) =>
      begin(createWorker({ ...looksOften, codeVersion: 3, client, processors: [thirdHandlers(client, read)] })),
    workers,
    closers,
    read,
  };
}

const looksOften = { pollIntervalMs: 20, retry: { maxAttempts: 1 } };

type ClientOf<Types> = Client<Env<Types, unknown>>;
type TypesIn<Slice> = Slice extends JobTypes<infer Own, infer _External, infer _Form> ? Own : never;

function firstHandlers(client: ClientOf<TypesIn<typeof firstTypes>>, read: unknown[]) {
  return createProcessors({
    client,
    jobTypes: firstTypes,
    processors: {
      order: async ({ continueWith }) => continueWith({ typeName: "charge", input: { amount: 7 } }),
      charge: async ({ job }) => (read.push({ release: 1, ...job.input }), { risk: job.input.amount }),
      report: async ({ job }) => JSON.stringify(job.blockers[0].output),
    },
  });
}

function secondHandlers(client: ClientOf<TypesIn<typeof secondTypes>>, read: unknown[]) {
  return createProcessors({
    client,
    jobTypes: secondTypes,
    processors: {
      order: async ({ continueWith }) => continueWith({ typeName: "charge", input: { cents: 700 } }),
      charge: async ({ job }) => (read.push({ release: 2, ...job.input }), { score: job.input.cents }),
      report: async ({ job }) => JSON.stringify(job.blockers[0].output),
    },
  });
}

function thirdHandlers(client: ClientOf<TypesIn<typeof thirdTypes>>, read: unknown[]) {
  return createProcessors({
    client,
    jobTypes: thirdTypes,
    processors: {
      order: async ({ continueWith }) => continueWith({ typeName: "charge", input: { cents: 7, currency: "CHF" } }),
      charge: async ({ job, complete }) => {
        read.push({ release: 3, ...job.input });
        return complete(async () => ({ score: job.input.cents }));
      },
      report: async ({ job }) => JSON.stringify(job.blockers[0].output),
    },
  });
}
