import {
  createClient,
  createProcessors,
  createWorker,
  defineJobTypes,
  defineLimits,
  type BreakerOptions,
  type HoldKeyOptions,
  type Job,
  type Processors,
  type RateOptions,
  type Worker,
  type WorkerOptions,
} from "chainwright";
import type { AppFixture, Process } from "./fixture.ts";

/** What all jobs of the shops have as their input. */
export interface Parcel {
  readonly shop: string;
  readonly n: number;
}

const jobTypes = defineJobTypes<{
  pack: { entry: true; input: Parcel; output: string; continueWith: "send" };
  send: { input: Parcel; output: string };
  label: { entry: true; input: Parcel; output: string };
  ship: { entry: true; input: Parcel; output: string; blockers: "label"[] };
  /** Under no limit. */
  sweep: { entry: true; input: Parcel; output: string };
}>();

interface Numbers {
  readonly concurrency?: number;
  readonly rate?: RateOptions;
  readonly breaker?: BreakerOptions;
  readonly whileRetrying?: "hold";
  readonly weight?: (key: string) => number;
}

/** What the limits of a case allow: by shop, and with one key for all shops. */
interface ShopLimits {
  readonly shop?: Numbers;
  readonly door?: Numbers;
}

/** What a handler of a case gets. */
export interface ParcelContext {
  readonly job: Job<string, Parcel, readonly unknown[]>;
  continueWith(next: { readonly typeName: "send"; readonly input: Parcel }): unknown;
  complete(callback: () => Promise<string>): Promise<unknown>;
  holdKey(options: HoldKeyOptions): never;
  reschedule(schedule: { readonly afterMs: number }): never;
}

interface LabelBatch {
  readonly maxSize: number;
  readonly maxWaitMs: number;
  readonly handler: (context: { readonly jobs: readonly { readonly input: Parcel }[] }) => Promise<readonly string[]>;
}

type Handler = (context: ParcelContext) => Promise<unknown>;

const byShop = ({ shop }: Parcel): string | undefined => (shop === "free" ? undefined : shop);

function limitsOf({ shop, door }: ShopLimits) {
  const keys = { pack: byShop, send: byShop, label: byShop, ship: byShop };
  const all = { pack: () => "all", label: () => "all" };
  const limits = [];
  if (shop !== undefined) limits.push(defineLimits({ jobTypes, limits: { shop: { keys, ...shop } } }));
  if (door !== undefined) limits.push(defineLimits({ jobTypes, limits: { door: { keys: all, ...door } } }));
  return limits;
}

export type ShopClient = ReturnType<typeof clientOf>;

function clientOf({ clock, eventLog }: AppFixture, { state, notify }: Process, limits: ShopLimits) {
  return createClient({
    stateAdapter: state.adapter,
    notifyAdapter: notify?.adapter,
    clock,
    observers: [eventLog.observer],
    jobTypes,
    limits: limitsOf(limits),
  });
}

function processorsOf(client: ShopClient, handler: Handler) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- handlers of several types have no common type
  const run = handler as () => Promise<string>;
  const processors = { pack: run, send: run, label: run, ship: run, sweep: async () => "swept" };
  const retry = { maxAttempts: 3, backoff: { initialMs: 1_000, jitter: 0 } };
  return [createProcessors({ client, jobTypes, retry, processors })];
}

/** Looks often without hints, so that cases end soon. */
const looksOften = { pollIntervalMs: 20 } as const;

export type Shop = ReturnType<typeof shopOn>;

/** Runs a case with a client that has these limits. */
export async function withShop(
  fixture: AppFixture,
  limits: ShopLimits,
  run: (shop: Shop) => Promise<void>,
): Promise<void> {
  const shop = shopOn(fixture, limits);
  try {
    await run(shop);
  } finally {
    await Promise.all(shop.workers.map((worker) => worker.stop({ timeoutMs: 0 })));
    for (const client of shop.clients) await client.close();
  }
}

function shopOn(fixture: AppFixture, limits: ShopLimits) {
  const client = clientOf(fixture, fixture, limits);
  const clients = [client];
  const workers: Worker[] = [];
  const begin = async (of: ShopClient, processors: readonly Processors[], options: WorkerOptions): Promise<Worker> => {
    const worker = createWorker({
      ...(fixture.notify === undefined && looksOften),
      ...options,
      client: of,
      processors,
    });
    workers.push(worker);
    await worker.start();
    return worker;
  };
  return {
    client,
    clients,
    workers,
    work: (handler: Handler, options: WorkerOptions = {}) => begin(client, processorsOf(client, handler), options),
    /** Starts a worker that handles the labels in batches. */
    workBatches: (batch: LabelBatch) => {
      const none = async () => "none";
      const processors = { pack: none, send: none, label: { batch }, ship: none, sweep: none };
      return begin(client, [createProcessors({ client, jobTypes, processors })], {});
    },
    /** Starts a worker in another process, whose client has other limits, by default the same. */
    async workElsewhere(handler: Handler, options: WorkerOptions = {}, own: ShopLimits = limits): Promise<ShopClient> {
      const other = clientOf(fixture, await fixture.process(), own);
      clients.push(other);
      await begin(other, processorsOf(other, handler), options);
      return other;
    },
    /** Starts jobs of a shop, numbered from 1. */
    start: (typeName: "pack" | "label" | "sweep", shop: string, count = 1) =>
      client.startChains({
        items: Array.from({ length: count }, (_, index) => ({ typeName, input: { shop, n: index + 1 } })),
      }),
  };
}
