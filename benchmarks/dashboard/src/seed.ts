import { setTimeout } from "node:timers/promises";
import {
  createClient,
  createProcessors,
  createWorker,
  defineJobTypes,
  FatalError,
  type AnyClient,
  type StateAdapter,
} from "chainwright";

interface Types {
  readonly "mail.send": { entry: true; input: { to: string; fails: boolean }; output: { sent: number } };
  readonly "order.place": { entry: true; input: { orderId: number }; continueWith: "order.charge" };
  readonly "order.charge": { input: { orderId: number }; output: { receipt: string }; blockers: ["stock.reserve"] };
  readonly "order.ship": {
    entry: true;
    input: { orderId: number };
    output: { parcel: string };
    blockers: ["stock.reserve"];
  };
  readonly "stock.reserve": { entry: true; input: { sku: string }; output: { reserved: number } };
  /** Rare, and long ago. */
  readonly "report.print": { entry: true; input: { month: number }; output: { pages: number } };
}

const jobTypes = defineJobTypes<Types>();
const batch = 1_000;
const lookEveryMs = 250;
/** Of these: failed long ago; failed lately; due later; waiting now. */
const few = 200;

/** A client on a store that another run has filled; undefined: it is empty. */
export async function filledBefore(stateAdapter: StateAdapter): Promise<SeedClient | undefined> {
  const client = clientOf(stateAdapter);
  const { items } = await client.listChains({ limit: 1 });
  return items.length === 0 ? undefined : client;
}

type Progress = (text: string) => void;
type SeedClient = ReturnType<typeof clientOf>;

/** Fills a store: nearly all completed, a few failed at either end of the history, some that wait. */
export async function seed(stateAdapter: StateAdapter, chains: number, onProgress: Progress): Promise<SeedClient> {
  const client = clientOf(stateAdapter);
  const mails = async (count: number, fails: boolean): Promise<void> => {
    for (let done = 0; done < count; done += batch) {
      const size = Math.min(batch, count - done);
      const item = { typeName: "mail.send", input: { to: "somebody@example.com", fails } } as const;
      await client.startChains({ items: Array.from({ length: size }, () => item) });
      onProgress(`${done + size} of ${count} started`);
    }
  };
  const work = async (): Promise<void> => {
    const worker = createWorker({ client, processors: [processorsOf(client)], concurrency: 200 });
    await worker.start();
    while (await isAtWork(client)) await setTimeout(lookEveryMs);
    await worker.stop();
  };
  await client.startChain({ typeName: "report.print", input: { month: 1 } });
  await mails(few, true);
  await mails(chains - 4 * few, false);
  onProgress("being worked on");
  await work();
  const orders = Array.from(
    { length: few / 2 },
    (_, orderId) =>
      ({
        typeName: "order.place",
        input: { orderId },
        tags: { order: String(orderId), tenant: "acme" },
        deduplication: { key: `order ${orderId}` },
      }) as const,
  );
  await client.startChains({ items: orders });
  await mails(few, true);
  await work();
  const later = Array.from({ length: few }, (_, index) => ({
    typeName: "mail.send" as const,
    input: { to: "later@example.com", fails: false },
    schedule: { afterMs: 3_600_000 * (1 + ((index * 7) % few)) },
  }));
  await client.startChains({ items: later });
  await mails(few, false);
  return client;
}

/** Starts jobs of a few types that stay open. */
export async function seedOpen(client: SeedClient, open: number, onProgress: Progress): Promise<void> {
  for (let done = 0; done < open; done += batch) {
    await startWaiting(client, Math.min(batch, open - done));
    onProgress(`${Math.min(open, done + batch)} of ${open} waiting`);
  }
}

/** Of twenty jobs thirteen are ready mails, two ready orders, one a report, two are due later, and one is blocked by another. */
async function startWaiting(client: SeedClient, jobs: number): Promise<void> {
  const chains = Math.ceil((jobs * 19) / 20);
  const items = Array.from({ length: chains }, (_, index) => {
    const kind = index % 19;
    if (kind === 0) return { typeName: "order.ship", input: { orderId: index }, blockers: [reserve] } as const;
    if (kind === 1) return { typeName: "report.print", input: { month: index } } as const;
    if (kind <= 3) return { typeName: "order.place", input: { orderId: index } } as const;
    const mail = { typeName: "mail.send", input: { to: "somebody@example.com", fails: false } } as const;
    return kind <= 5 ? ({ ...mail, schedule: { afterMs: 3_600_000 + index } } as const) : mail;
  });
  await client.startChains({ items });
}

const reserve = { typeName: "stock.reserve", input: { sku: "a" } } as const;

/** Whether anything is left that a worker would take. */
async function isAtWork(client: AnyClient): Promise<boolean> {
  const counts = await client.countJobs();
  return Object.values(counts).some((count) => count !== undefined && count.ready + count.running > 0);
}

function processorsOf(client: SeedClient) {
  return createProcessors({
    client,
    jobTypes,
    processors: {
      "mail.send": async ({ job }) => {
        if (job.input.fails) throw new FatalError(`mailbox ${job.id} is full`);
        return { sent: 1 };
      },
      "order.place": async ({ job, continueWith }) =>
        continueWith({
          typeName: "order.charge",
          input: job.input,
          blockers: [{ typeName: "stock.reserve", input: { sku: "a" } }],
        }),
      "order.charge": async ({ job }) => ({ receipt: String(job.input.orderId) }),
      "order.ship": async ({ job }) => ({ parcel: String(job.input.orderId) }),
      "stock.reserve": async () => ({ reserved: 1 }),
      "report.print": async () => ({ pages: 1 }),
    },
  });
}

function clientOf(stateAdapter: StateAdapter) {
  return createClient({ stateAdapter, jobTypes, observers: [] });
}
