import {
  createClient,
  createProcessors,
  createWorker,
  defineJobTypes,
  FatalError,
  type AnyClient,
  type StateAdapter,
} from "chainwright";
import { expect } from "vitest";
import { createDashboard } from "../src/create-dashboard.ts";
import { chainPrints } from "../src/live/chain-prints.ts";

interface Types {
  readonly "mail.send": { entry: true; input: { fails: boolean; text: string }; output: null };
  readonly "order.place": { entry: true; input: null; continueWith: "order.charge" };
  readonly "order.charge": { input: null; output: null; blockers: ["stock.reserve"] };
  readonly "stock.reserve": { entry: true; input: null; output: null };
}

/** No worker processes these types. */
interface DeskTypes {
  readonly "order.approve": { entry: true; input: null; output: null; blockers: ["review.write"] };
  readonly "review.write": { entry: true; input: null; output: null };
}

const shop = defineJobTypes<Types>();
const desk = defineJobTypes<DeskTypes>();
/** Realistic payloads: while many rows fit on a page of the table, reading the whole table stays the best plan for long. */
const text = "x".repeat(1_500);
const times = (count: number) => Array.from({ length: count }, (_, index) => index);

/** A few thousand chains: most are completed, and a few have each of the other states that pages show. */
export async function createHistory<Tx>(stateAdapter: StateAdapter<Tx>) {
  const client = createClient({ stateAdapter, jobTypes: [shop, desk], observers: [] });
  // Stays open, so it is older than everything that follows.
  const approvals = await client.startChains({
    items: times(30).map(
      () =>
        ({ typeName: "order.approve", input: null, blockers: [{ typeName: "review.write", input: null }] }) as const,
    ),
  });
  await client.cancelChains({ items: approvals.slice(0, 10).map(({ id }) => ({ id })) });
  const mails = await client.startChains({
    items: times(3_000).map((index) => ({ typeName: "mail.send", input: { fails: index % 100 === 0, text } }) as const),
  });
  const orders = await client.startChains({
    items: times(300).map(
      (index) =>
        ({
          typeName: "order.place",
          input: null,
          tags: { order: String(index), tenant: "acme" },
          deduplication: { key: `order ${index}` },
        }) as const,
    ),
  });
  const processors = createProcessors({
    client,
    jobTypes: shop,
    processors: {
      "mail.send": async ({ job }) => {
        if (job.input.fails) throw new FatalError(`mailbox ${job.id} is full`);
        return null;
      },
      "order.place": async ({ continueWith }) =>
        continueWith({
          typeName: "order.charge",
          input: null,
          blockers: [{ typeName: "stock.reserve", input: null }],
        }),
      "order.charge": async () => null,
      "stock.reserve": async () => null,
    },
  });
  const worker = createWorker({ client, processors: [processors], concurrency: 200 });
  await worker.start();
  await Promise.allSettled([...mails, ...orders].map(({ id }) => client.awaitChain({ id }, { timeoutMs: 60_000 })));
  await worker.stop();
  await client.createSchedule({ id: "mails", typeName: "mail.send", input: { fails: false, text }, cron: "0 9 * * *" });
  await client.startChains({
    items: times(30).map(
      (index) =>
        ({ typeName: "mail.send", input: { fails: false, text }, schedule: { afterMs: 3_600_000 + index } }) as const,
    ),
  });
  return client;
}

/** All requests of the pages, with each filter. */
export async function questionsOf(client: AnyClient): Promise<readonly string[]> {
  const first = async (query: Parameters<AnyClient["listChains"]>[0]) => (await client.listChains(query)).items[0];
  const order = await first({ typeName: "order.place" });
  const reserve = await first({ typeName: "stock.reserve" });
  const blocked = await first({ typeName: "order.approve", status: "active" });
  const mail = await first({ typeName: "mail.send", status: "completed" });
  const old = await first({ order: "oldest" });
  const from = old?.createdAt.getTime() ?? 0;
  const lists = [
    "",
    "?order=oldest",
    ...["active", "completed", "failed", "cancelled"].map((status) => `?status=${status}`),
    "?status=failed&status=cancelled&typeName=mail.send",
    "?status=active&typeName=order.approve",
    "?typeName=order.place",
    "?typeName=nothing",
    `?from=${from}&until=${from + 60_000}`,
    `?from=${from}&until=${from + 60_000}&order=oldest&status=completed`,
    "?errorText=is+full",
    "?errorText=is+full&typeName=mail.send&status=failed",
    `?id=${mail?.id}&id=${order?.id}`,
    "?tag=order%3D7",
    "?tag=tenant%3Dacme&tag=order%3D7",
    "?tag=tenant%3Dacme&status=completed",
    "?key=order+7",
    "?key=order+7&typeName=order.place",
  ].flatMap((query) => {
    const path = `-/chains${query}`;
    return [path, `${path}${query === "" ? "?" : "&"}cursor=${mail?.id}`];
  });
  const others = [
    "-/session",
    "-/overview",
    "-/failed",
    "-/failed?typeName=mail.send",
    `-/failed?cursor=${mail?.id}`,
    "-/schedule",
    "-/schedule?typeName=mail.send",
    "-/schedules",
    "-/schedules?typeName=mail.send",
    "-/recurring?id=mails",
    "-/limits",
    "-/limits?order=waiting&busy=true",
    ...[order, reserve, blocked, mail].flatMap((chain) =>
      ["chain", "steps", "blockers", "dependents", "job"].map((route) => `-/${route}?id=${chain?.id}`),
    ),
  ];
  return [...lists, ...others];
}

/** Sends the requests of the pages. The bound of each bounded search is smaller than this history. */
export async function ask(client: AnyClient, questions: readonly string[]): Promise<void> {
  const dashboard = createDashboard({ client: bounded(client), authorize: () => ({ role: "viewer" }) });
  for (const path of questions) {
    const response = await dashboard.fetch(new Request(`http://localhost/${path}`));
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
  }
  const ids = questions.flatMap((path) => path.match(/(?<=chain\?id=).*/) ?? []);
  expect([...(await chainPrints(client, async () => new Map(), ids)).values()]).not.toContain(undefined);
}

function bounded(client: AnyClient): AnyClient {
  const narrowed = <Query extends { readonly maxScanned?: number | undefined }>(query: Query | undefined) =>
    query?.maxScanned === undefined ? query : { ...query, maxScanned: 300 };
  return {
    ...client,
    listChains: async (query) => await client.listChains(narrowed(query)),
    listJobs: async (query) => await client.listJobs(narrowed(query)),
  };
}
