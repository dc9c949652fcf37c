import {
  createClient,
  createInProcessNotifyAdapter,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  defineLimits,
} from "chainwright";
import { createVirtualClock } from "chainwright/testing";
import { expect, it, onTestFinished } from "vitest";

interface Work {
  readonly entry: true;
  readonly input: null;
  readonly output: null;
}

const packs = defineJobTypes<{ pack: Work }>();
const sends = defineJobTypes<{ send: Work }>();
const sweeps = defineJobTypes<{ sweep: Work }>();
const jobTypes = [packs, sends, sweeps] as const;
const all = () => "all";
const limits = defineLimits({
  jobTypes: [packs, sends],
  limits: { door: { keys: { pack: all, send: all }, concurrency: 1, whileRetrying: "hold" } },
});
const never = () => new Promise<null>(() => undefined);

/** Two clients of one store, which notify each other. One job at a time has the place of their limit. */
function setUp() {
  const clock = createVirtualClock();
  const store = createInProcessStateAdapter({ clock });
  const notifyAdapter = createInProcessNotifyAdapter();
  let claims = 0;
  const stateAdapter: typeof store = {
    ...store,
    exchange: (request, options) => {
      if (request.claim !== undefined) claims += 1;
      return store.exchange(request, options);
    },
  };
  const open = () => createClient({ stateAdapter, notifyAdapter, jobTypes, limits: [limits], clock, observers: [] });
  const [client, other] = [open(), open()];
  const begun: string[] = [];
  const begin = async (worker: ReturnType<typeof createWorker>): Promise<void> => {
    onTestFinished(async () => {
      const stopped = worker.stop({ timeoutMs: 0 });
      await clock.advance(5_000);
      await stopped;
    });
    await worker.start();
  };
  return {
    clock,
    store,
    client,
    begun,
    begin,
    claims: () => claims,
    /** A worker of the other client, whose jobs wait for the place. It looks without a hint once a minute. */
    async beginSender() {
      const send = async () => {
        begun.push("send");
        return null;
      };
      const processors = [createProcessors({ client: other, jobTypes: sends, processors: { send } })];
      await begin(createWorker({ client: other, processors }));
      await clock.advance(190_000);
    },
  };
}

/** Jobs that complete in a transaction when they are told to. */
function packing({ client }: ReturnType<typeof setUp>) {
  const gate = Promise.withResolvers<null>();
  const processors = createProcessors({
    client,
    jobTypes: packs,
    processors: {
      pack: async ({ complete }) => {
        await gate.promise;
        return complete(async () => null);
      },
    },
  });
  return { processors, end: () => gate.resolve(null) };
}

it("a place that complete frees is announced if all types of the worker are paused", async () => {
  const own = setUp();
  const { clock, client, begun, begin, beginSender } = own;
  const { processors, end } = packing(own);
  await beginSender();
  await begin(createWorker({ client, processors: [processors] }));
  await client.startChain({ typeName: "pack", input: null });
  await clock.advance(1_000);
  await client.startChain({ typeName: "send", input: null });
  await client.pauseJobTypes({ typeNames: ["pack"] });
  await clock.advance(1_000);
  expect(begun).toEqual([]);
  end();
  await clock.advance(200);
  expect(begun).toEqual(["send"]);
});

it("a place that complete frees is announced while a job that must run alone takes the worker's time", async () => {
  const own = setUp();
  const { clock, client, store, begun, begin, beginSender } = own;
  const { processors, end } = packing(own);
  const sweep = { retry: { maxAttempts: 5 }, handler: never };
  await beginSender();
  await client.startChain({ typeName: "sweep", input: null });
  for (const workerId of ["dead 1", "dead 2"]) {
    const claim = { workerId, types: [{ typeName: "sweep", leaseMs: 10 }], limit: 1 };
    expect((await store.exchange({ outcomes: [], claim }, { now: clock.now() })).claimed).toHaveLength(1);
    await clock.advance(11);
  }
  await client.pauseJobTypes({ typeNames: ["sweep"] });
  const sweeping = createProcessors({ client, jobTypes: sweeps, processors: { sweep } });
  await begin(createWorker({ client, processors: [processors, sweeping], concurrency: 2 }));
  await client.startChain({ typeName: "pack", input: null });
  await clock.advance(1_000);
  await client.startChain({ typeName: "send", input: null });
  await client.resumeJobTypes({ typeNames: ["sweep"] });
  await clock.advance(1_000);
  expect(begun).toEqual([]);
  end();
  await clock.advance(200);
  expect(begun).toEqual(["send"]);
});

const ends = {
  cancelChain: ({ client }, id) => client.cancelChain({ id }),
  deleteChain: ({ client }, id) => client.deleteChain({ id }),
  completeChain: ({ client }, id) => client.completeChain({ id, typeName: "pack", output: null }),
} satisfies Record<string, (own: ReturnType<typeof setUp>, id: string) => Promise<unknown>>;

async function endKept(end: keyof typeof ends): Promise<readonly string[]> {
  const own = setUp();
  const { clock, client, begun, begin, beginSender } = own;
  const retry = { maxAttempts: 5, backoff: { initialMs: 3_600_000, maxMs: 3_600_000 } };
  const pack = { retry, handler: () => Promise.reject(new Error("not now")) };
  await beginSender();
  await begin(
    createWorker({ client, processors: [createProcessors({ client, jobTypes: packs, processors: { pack } })] }),
  );
  const chain = await client.startChain({ typeName: "pack", input: null });
  await clock.advance(1_000);
  await client.startChain({ typeName: "send", input: null });
  await clock.advance(1_000);
  expect(begun).toEqual([]);
  await ends[end](own, chain.id);
  await clock.advance(200);
  return begun;
}

it.each(["cancelChain", "deleteChain", "completeChain"] as const)(
  "a place that was kept for a retry is announced when %s ends its job",
  async (end) => {
    expect(await endKept(end)).toEqual(["send"]);
  },
);

it("a worker does not look for a free place that only its paused types could take", async () => {
  const { clock, client, claims, begin } = setUp();
  const none = async () => null;
  await begin(
    createWorker({
      client,
      processors: [
        createProcessors({ client, jobTypes: packs, processors: { pack: none } }),
        createProcessors({ client, jobTypes: sweeps, processors: { sweep: none } }),
      ],
    }),
  );
  await client.pauseJobTypes({ typeNames: ["pack"] });
  await clock.advance(190_000);
  const before = claims();
  await client.resumeLimit({ limit: "door", key: "all" });
  await clock.advance(1_000);
  expect(claims()).toBe(before);
});
