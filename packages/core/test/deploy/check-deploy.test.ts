import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  defineVersions,
  stored,
  type StateAdapter,
} from "chainwright";
import { checkDeploy, checkManifest, manifestOf, type Manifest } from "chainwright/check";
import { describe, expect, it } from "vitest";

/** A number of cents; everything else has an issue. */
const cents = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value: unknown) =>
      typeof value === "number" ? { value } : { issues: [{ message: "must be a number", path: ["cents"] }] },
  },
} as const;

const none = async (): Promise<null> => null;

const shopTypes = defineJobTypes<{
  "order.place": { entry: true; input: { id: string }; continueWith: "order.charge" };
  "order.charge": { entry: true; input: { id: string }; output: null };
  "mail.send": { entry: true; input: { to: string }; output: null };
}>();

function shop(stateAdapter: StateAdapter = createInProcessStateAdapter()) {
  const client = createClient({ stateAdapter, jobTypes: shopTypes });
  const processors = createProcessors({
    client,
    jobTypes: shopTypes,
    processors: {
      "order.place": async ({ job, continueWith }) => continueWith({ typeName: "order.charge", input: job.input }),
      "order.charge": { retry: { maxAttempts: 3, backoff: { initialMs: 0, jitter: 0 } }, handler: none },
      "mail.send": none,
    },
  });
  return { stateAdapter, client, processors };
}

const mailTypes = defineJobTypes<{ "mail.send": { entry: true; input: { to: string }; output: null } }>();

function mailsOnly(stateAdapter: StateAdapter) {
  const client = createClient({ stateAdapter, jobTypes: mailTypes });
  return { client, processors: [createProcessors({ client, jobTypes: mailTypes, processors: { "mail.send": none } })] };
}

describe("checkDeploy", () => {
  it("finds nothing wrong in code that handles all open jobs", async () => {
    const { client, processors } = shop();
    await client.startChain({ typeName: "mail.send", input: { to: "a" } });
    await client.startChain({ typeName: "mail.send", input: { to: "b" }, schedule: { afterMs: 1_000_000 } });
    const report = await checkDeploy({ client, processors: [processors] });
    expect(report).toMatchObject({ ok: true, openJobs: 2, readJobs: 2 });
    expect(report.findings.map(({ code }) => code)).toEqual(["types-only"]);
  });

  it("names open jobs without a processor, with their number and three of them", async () => {
    const { client, stateAdapter } = shop();
    const started = [];
    for (let n = 0; n < 5; n += 1)
      started.push(await client.startChain({ typeName: "order.place", input: { id: `${n}` } }));
    const { findings, ok } = await checkDeploy(mailsOnly(stateAdapter));
    expect(ok).toBe(false);
    expect(findings).toMatchObject([
      {
        code: "no-processor",
        level: "error",
        typeName: "order.place",
        count: 5,
        jobs: started.slice(0, 3).map(({ id }) => ({ id, chainId: id })),
        message:
          '5 open jobs of "order.place" have no processor in this code: keep it until they have ended, or name the type in servedElsewhere.',
      },
    ]);
    const elsewhere = { ...mailsOnly(stateAdapter), servedElsewhere: ["order.place"] };
    expect((await checkDeploy(elsewhere)).findings).toEqual([]);
  });

  it("ignores jobs that have ended", async () => {
    const { client, processors, stateAdapter } = shop();
    const worker = createWorker({ client, processors: [processors], pollIntervalMs: 5 });
    await worker.start();
    await client.awaitChain(await client.startChain({ typeName: "order.place", input: { id: "1" } }));
    await worker.stop();
    expect(await checkDeploy(mailsOnly(stateAdapter))).toEqual({ findings: [], ok: true, openJobs: 0, readJobs: 0 });
  });

  it("names what open jobs lead to without a processor", async () => {
    const stateAdapter = createInProcessStateAdapter();
    const types = {
      "order.place": { entry: true, input: cents, continueWith: ["order.charge"] },
      "order.charge": { input: cents, output: cents, blockers: ["stock.reserve"] },
      "stock.reserve": { entry: true, input: cents, output: cents },
    } as const;
    const jobTypes = defineJobTypes(types);
    const client = createClient({ stateAdapter, jobTypes });
    await client.startChain({ typeName: "order.place", input: 5 });
    const processors = createProcessors({ client, jobTypes, processors: { "order.place": none } as never });
    const { findings } = await checkDeploy({ client, processors: [processors] });
    expect(findings.map(({ code, typeName, details }) => [code, typeName, details])).toEqual([
      ["unreachable-next", "order.charge", { via: "order.place" }],
      ["unreachable-next", "stock.reserve", { via: "order.place" }],
    ]);
  });

  it("learns from a manifest what types continue with that are declared by types alone", async () => {
    const { client, stateAdapter } = shop();
    await client.startChain({ typeName: "order.place", input: { id: "1" } });
    const placing = defineJobTypes<{ "order.place": { entry: true; input: { id: string }; output: null } }>();
    const next = createClient({ stateAdapter, jobTypes: placing });
    const processors = [createProcessors({ client: next, jobTypes: placing, processors: { "order.place": none } })];
    expect((await checkDeploy({ client: next, processors })).findings.map(({ code }) => code)).toEqual(["types-only"]);
    const type = { handled: true, inputVersion: 1, outputVersion: 1 };
    const manifest = {
      manifest: 1,
      types: { "order.place": { ...type, continueWith: ["order.charge"], blockers: [] } },
    } as const;
    expect((await checkDeploy({ client: next, processors, manifest })).findings).toMatchObject([
      { code: "unreachable-next", level: "error", typeName: "order.charge" },
    ]);
  });

  it("names inputs that the schema refuses, with its issues and without the input", async () => {
    const stateAdapter = createInProcessStateAdapter();
    const text = defineJobTypes<{ pay: { entry: true; input: string; output: null } }>();
    await createClient({ stateAdapter, jobTypes: text }).startChain({ typeName: "pay", input: "secret" });
    const jobTypes = defineJobTypes({ pay: { entry: true, input: cents, output: cents } });
    const client = createClient({ stateAdapter, jobTypes });
    const processors = [createProcessors({ client, jobTypes, processors: { pay: async ({ job }) => job.input } })];
    const report = await checkDeploy({ client, processors });
    expect(report.findings).toMatchObject([{ code: "input-unreadable", level: "error", typeName: "pay", count: 1 }]);
    expect(report.findings[0]?.message).toContain("cents: must be a number");
    expect(JSON.stringify(report)).not.toContain("secret");
  });

  it("names inputs of a version that was removed, and inputs that cannot be lifted", async () => {
    const stateAdapter = createInProcessStateAdapter();
    const jobTypes = defineJobTypes<{ pay: { entry: true; input: { cents: number }; output: null } }>();
    const upcasting = (up: (value: { amount: number }) => { cents: number }) =>
      createClient({
        stateAdapter,
        jobTypes,
        versions: [defineVersions({ jobTypes, inputs: { pay: stored<{ amount: number }>().then(up) } })],
      });
    const check = (client: ReturnType<typeof upcasting>) =>
      checkDeploy({ client, processors: [createProcessors({ client, jobTypes, processors: { pay: none } })] });
    const plain = createClient({ stateAdapter, jobTypes });
    await plain.startChain({ typeName: "pay", input: { cents: 1 } });
    const good = upcasting(({ amount }) => ({ cents: amount }));
    expect(await check(good)).toMatchObject({ ok: true });
    const bad = upcasting(() => {
      throw new Error("no amount");
    });
    expect((await check(bad)).findings).toMatchObject([{ code: "input-unreadable", details: { version: 1 } }, {}]);
    await good.startChain({ typeName: "pay", input: { cents: 1 } });
    expect((await check(plain)).findings).toMatchObject([
      { code: "newer-version", level: "error", count: 1, details: { version: 2, newest: 1 } },
      { code: "types-only" },
    ]);
  });

  it("names jobs whose next claim would be one attempt too many", async () => {
    const { client, processors, stateAdapter } = shop();
    const failing = createProcessors({
      client,
      jobTypes: shopTypes,
      processors: {
        "order.place": none as never,
        "order.charge": {
          retry: { backoff: { initialMs: 0, jitter: 0 } },
          handler: async ({ job, signal }) => {
            if (job.attempt < 4) throw new Error("not yet");
            return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
          },
        },
        "mail.send": none,
      },
    });
    const worker = createWorker({ client, processors: [failing], pollIntervalMs: 5 });
    const { id } = await client.startChain({ typeName: "order.charge", input: { id: "1" } });
    await worker.start();
    await expect.poll(async () => (await stateAdapter.getJobs([id], {}))[0]?.attempt).toBe(4);
    await worker.stop({ timeoutMs: 0 });
    const { findings } = await checkDeploy({ client, processors: [processors] });
    expect(findings).toMatchObject([
      { code: "fewer-attempts", level: "warning", typeName: "order.charge", details: { maxAttempts: 3 } },
      { code: "types-only" },
    ]);
  });

  it("names jobs of a pool that neither this code nor a live worker serves", async () => {
    const { client, processors } = shop();
    await client.startChain({ typeName: "mail.send", input: { to: "a" }, pool: "slow" });
    const check = async (pools?: readonly (string | null)[]) =>
      (await checkDeploy({ client, processors: [processors], pools })).findings.map(({ code }) => code);
    expect(await check()).toEqual(["unserved-pool", "types-only"]);
    expect(await check(["slow"])).toEqual(["types-only"]);
    const worker = createWorker({ client, processors: [processors], pools: ["slow"], types: ["order.place"] });
    await worker.start();
    expect(await check()).toEqual(["unserved-pool", "types-only"]);
    await worker.stop();
  });

  it("reads a sample of each type, and all jobs only if it is asked to", async () => {
    const { client, processors } = shop();
    for (let n = 0; n < 30; n += 1) await client.startChain({ typeName: "mail.send", input: { to: `${n}` } });
    for (let n = 0; n < 3; n += 1) await client.startChain({ typeName: "order.place", input: { id: `${n}` } });
    const read = async (sample: number | "all") =>
      (await checkDeploy({ client, processors: [processors], sample })).readJobs;
    expect([await read(10), await read("all")]).toEqual([13, 33]);
  });

  it("only reads", async () => {
    const called = new Set<string>();
    const store: StateAdapter = createInProcessStateAdapter();
    const stateAdapter = new Proxy(store, {
      get: (target, name) => (called.add(String(name)), Reflect.get(target, name) as unknown),
    });
    const { client, processors } = shop(stateAdapter);
    await store.start(
      [
        {
          starts: [{ ...plainStart, blockers: [{ start: { ...plainStart, blockers: [], id: crypto.randomUUID() } }] }],
        },
      ],
      {},
    );
    called.clear();
    await checkDeploy({ client, processors: [processors], sample: "all" });
    const methods = [...called].filter((name) => typeof Reflect.get(store, name) === "function").toSorted();
    expect(methods).toEqual([
      "count",
      "listBlockers",
      "listJobs",
      "listLimitDeclarations",
      "listSchedules",
      "listWorkers",
      "schema",
    ]);
  });

  it.each([
    [{ sample: 0 }, "sample"],
    [{ pools: "gpu" }, "pools"],
    [{ servedElsewhere: "legacy" }, "servedElsewhere"],
    [{ processors: {} }, "processors"],
    [{ colour: "red" }, "colour"],
  ])("refuses %j", async (wrong, says) => {
    const { client, processors } = shop();
    const options = { client, processors: [processors], ...wrong } as never;
    await expect(checkDeploy(options)).rejects.toMatchObject({
      code: "invalid-input",
      message: expect.stringContaining(says) as string,
    });
  });
});

const plainStart = {
  id: "01900000-0000-7000-8000-000000000001",
  typeName: "mail.send",
  input: '{"to":"a"}',
  priority: 0,
  schedule: undefined,
  onBlockerFailure: "fail",
  deduplication: undefined,
  context: undefined,
} as const;

describe("checkManifest", () => {
  it("finds job types and versions that were removed since a release", () => {
    const stateAdapter = createInProcessStateAdapter();
    const before = shop(stateAdapter);
    const manifest = manifestOf({ client: before.client, processors: [before.processors] });
    const against = JSON.parse(JSON.stringify(manifest)) as Manifest;
    expect(checkManifest({ ...mailsOnly(stateAdapter), against }).findings.map(({ typeName }) => typeName)).toEqual([
      "order.place",
      "order.charge",
    ]);
    const own = { client: before.client, processors: [before.processors], against };
    expect(checkManifest(own)).toMatchObject({ ok: true, findings: [] });
    const mail = { handled: true, inputVersion: 3, outputVersion: 1 };
    const later = { ...own, against: { ...against, types: { ...against.types, "mail.send": mail } } };
    const [finding] = checkManifest(later).findings;
    expect(finding).toMatchObject({ code: "newer-version", typeName: "mail.send", details: { version: 3, newest: 1 } });
  });

  it.each([undefined, null, [], { manifest: 2, types: {} }])("refuses %j", (against) => {
    const { client, processors } = shop();
    expect(() => checkManifest({ client, processors: [processors], against: against as never })).toThrow("against");
  });
});
