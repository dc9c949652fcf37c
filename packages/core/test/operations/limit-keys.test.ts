import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  defineLimits,
  defineVersions,
  stored,
} from "chainwright";
import type { JobLimit, JobStart, StateAdapter } from "chainwright/adapter";
import { expect, it, onTestFinished } from "vitest";

type Parcels = {
  "parcel.pack": {
    entry: true;
    input: { shop: string; grams: number };
    continueWith: "parcel.send";
    blockers: [..."label.print"[]];
  };
  "parcel.send": { input: { shop: string }; output: null };
  "label.print": { entry: true; input: { shop: string }; output: null };
};
const jobTypes = defineJobTypes<Parcels>();

/** A store that notes the limits of what is written, by type. */
function notingStore() {
  const store = createInProcessStateAdapter();
  const written: (readonly [string, readonly JobLimit[] | undefined])[] = [];
  const retried: (readonly JobLimit[] | undefined)[] = [];
  const note = (start: JobStart): JobStart => {
    for (const blocker of start.blockers) if ("start" in blocker) note(blocker.start);
    written.push([start.typeName, start.limits]);
    return start;
  };
  const noting: typeof store = {
    ...store,
    start: async (calls, options) =>
      await store.start(
        calls.map((call) => ({ ...call, starts: call.starts.map(note) })),
        options,
      ),
    exchange: async (request, options) => {
      for (const outcome of request.outcomes) if (outcome.kind === "continued") note(outcome.next);
      return await store.exchange(request, options);
    },
    retry: async (items, options) => {
      retried.push(...items.map(({ limits }) => limits));
      return await store.retry(items, options);
    },
  };
  return { stateAdapter: noting satisfies StateAdapter<never> | object, written, retried };
}

const byShop = {
  "parcel.pack": ({ shop }: { shop: string }) => shop,
  "label.print": ({ shop }: { shop: string }) => shop,
};
const limits = defineLimits({
  jobTypes,
  limits: {
    shop: {
      keys: { ...byShop, "parcel.send": ({ shop }) => (shop === "free" ? undefined : shop) },
      concurrency: 1,
      whileRetrying: "hold",
      weight: (key) => key.length,
    },
    carrier: { keys: { "parcel.send": () => "main" }, rate: { count: 10, perMs: 1_000 } },
  },
});

const shopAcme = { limit: "shop", key: "acme", weight: 4, holds: true };
const carrier = { limit: "carrier", key: "main", weight: undefined, holds: undefined };

it("jobs get their keys from their inputs wherever they come from, ordered by the names of the limits", async () => {
  const { stateAdapter, written } = notingStore();
  const client = createClient({ stateAdapter, jobTypes, limits: [limits] });
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      "parcel.pack": async ({ job, continueWith }) =>
        continueWith({ typeName: "parcel.send", input: { shop: job.input.shop } }),
      "parcel.send": async () => null,
      "label.print": async () => null,
    },
  });
  const worker = createWorker({ client, processors: [processors] });
  onTestFinished(() => worker.stop());
  await worker.start();
  const blockers = [{ typeName: "label.print", input: { shop: "acme" } }] as const;
  const chains = await client.startChains({
    items: [
      { typeName: "parcel.pack", input: { shop: "acme", grams: 1 }, blockers },
      { typeName: "label.print", input: { shop: "a" } },
    ],
  });
  await Promise.all(chains.map((chain) => client.awaitChain(chain)));
  expect(written).toEqual([
    ["label.print", [shopAcme]],
    ["parcel.pack", [shopAcme]],
    ["label.print", [{ ...shopAcme, key: "a", weight: undefined }]],
    ["parcel.send", [carrier, shopAcme]],
  ]);
});

it("a job whose key is undefined is not under that limit, and a job without limits has none", async () => {
  const { stateAdapter, written } = notingStore();
  const client = createClient({ stateAdapter, jobTypes, limits: [limits] });
  const { id } = await client.startChain({ typeName: "parcel.pack", input: { shop: "free", grams: 1 }, blockers: [] });
  await client.continueChain({
    id,
    typeName: "parcel.pack",
    with: { typeName: "parcel.send", input: { shop: "free" } },
  });
  expect(written[0]).toEqual(["parcel.pack", [{ ...shopAcme, key: "free" }]]);
  const other = notingStore();
  await createClient({ stateAdapter: other.stateAdapter, jobTypes }).startChain({
    typeName: "label.print",
    input: { shop: "acme" },
  });
  expect(other.written).toEqual([["label.print", undefined]]);
});

it("a retry brings the limits of its new input, and none without one, because the job keeps those that it has", async () => {
  const { stateAdapter, retried } = notingStore();
  const client = createClient({ stateAdapter, jobTypes, limits: [limits] });
  const { id } = await client.startChain({ typeName: "label.print", input: { shop: "acme" } });
  await client.cancelChain({ id });
  await client.retryChain({ id, typeName: "label.print", input: { shop: "zoo" } });
  await client.cancelChain({ id });
  await client.retryChain({ id });
  expect(retried).toEqual([[{ ...shopAcme, key: "zoo", weight: 3 }], undefined]);
});

it("a key function gets the newest version of an input, whichever version is written", async () => {
  const { stateAdapter, written } = notingStore();
  const inputs = {
    "label.print": stored<{ name: string }>().then(({ name }) => ({ shop: name }), {
      back: ({ shop }) => ({ name: shop }),
    }),
  };
  const versions = [defineVersions({ jobTypes, inputs, writes: { "label.print": 1 } })] as const;
  const client = createClient({ stateAdapter, jobTypes, versions, limits: [limits] });
  await client.startChain({ typeName: "label.print", input: { shop: "acme" } });
  expect(written).toEqual([["label.print", [shopAcme]]]);
});

it("a key function cannot change the input that is stored", async () => {
  const { stateAdapter } = notingStore();
  const spoiling = defineLimits({
    jobTypes,
    limits: { shop: { keys: { "label.print": (input) => (input.shop = "spoilt") } } },
  });
  const client = createClient({ stateAdapter, jobTypes, limits: [spoiling] });
  const input = { shop: "acme" };
  const { id } = await client.startChain({ typeName: "label.print", input });
  expect(input).toEqual({ shop: "acme" });
  expect(await client.getChain({ id, typeName: "label.print" })).toMatchObject({ input });
});

const refused: readonly { readonly key: () => string; readonly weight?: () => number; readonly says: string }[] = [
  {
    key: () => "",
    says: 'the key of the limit "shop" of "label.print" must be a string of 1 to 200 characters, or undefined; got "".',
  },
  { key: () => "x".repeat(201), says: "got a string of 201 characters. Shorten a long one by a hash." },
  { key: () => 3 as unknown as string, says: "must be a string of 1 to 200 characters, or undefined; got 3." },
  { key: () => "a\u0000", says: "without NUL and unpaired surrogates" },
  {
    key: () => JSON.parse("{") as string,
    says: 'the key function of the limit "shop" of "label.print" threw an error, so nothing was written.',
  },
  {
    key: () => "a",
    weight: () => 0,
    says: 'the weight of key "a" of the limit "shop" must be an integer from 1 to 100; got 0.',
  },
];

it.each(refused)("a start is refused and writes nothing: $says", async ({ key, weight, says }) => {
  const { stateAdapter, written } = notingStore();
  const wrong = defineLimits({ jobTypes, limits: { shop: { keys: { "label.print": key }, weight } } });
  const client = createClient({ stateAdapter, jobTypes, limits: [wrong] });
  const started = client.startChain({ typeName: "label.print", input: { shop: "acme" } });
  await expect(started).rejects.toThrow(
    expect.objectContaining({ code: "invalid-input", message: expect.stringContaining(says) }),
  );
  expect(written).toEqual([]);
});
