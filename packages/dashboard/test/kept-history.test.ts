import {
  createClient,
  createProcessors,
  createWorker,
  defineJobTypes,
  FatalError,
  type StateAdapter,
} from "chainwright";
import { describe, expect, it } from "vitest";
import { createDashboard } from "../src/create-dashboard.ts";
import type { HistoryResponse } from "../src/protocol/overview.ts";
import { stores } from "./stores.ts";

interface Types {
  readonly "mail.send": { entry: true; input: { fate: "sent" | "failed" | "retried" }; output: null };
  readonly "mail.count": { entry: true; input: null; output: null };
}

const jobTypes = defineJobTypes<Types>();

describe("what workers did is kept although no page was open", { timeout: 60_000 }, () => {
  for (const { name, isMissing, open } of stores)
    it.skipIf(isMissing)(name, async () => await expectKept(await open()));
});

async function expectKept(stateAdapter: StateAdapter): Promise<void> {
  await work(stateAdapter);
  // Another process: it has seen nothing of it.
  const client = createClient({ stateAdapter, jobTypes, observers: [] });
  const dashboard = createDashboard({ client, authorize: () => ({ role: "viewer" }) });
  const read = async (query: string): Promise<HistoryResponse> => {
    const response = await dashboard.fetch(new Request(`http://localhost/-/history${query}`));
    expect(response.status).toBe(200);
    return (await response.json()) as HistoryResponse;
  };
  const sums = async (query: string) => {
    const { points } = await read(query);
    const sum = (field: "completed" | "failed" | "retried") => points.reduce((total, each) => total + each[field], 0);
    return { points: points.length, completed: sum("completed"), failed: sum("failed"), retried: sum("retried") };
  };
  expect(await sums("")).toEqual({ points: 60, completed: 6, failed: 1, retried: 1 });
  expect(await sums("?over=day")).toEqual({ points: 144, completed: 6, failed: 1, retried: 1 });
  expect(await sums("?typeName=mail.send")).toEqual({ points: 60, completed: 4, failed: 1, retried: 1 });
  expect(await sums("?typeName=nothing")).toEqual({ points: 60, completed: 0, failed: 0, retried: 0 });
  const { points } = await read("?typeName=mail.send");
  const last = points.findLast(({ completed }) => completed > 0);
  expect(last?.p95Ms).toBeGreaterThanOrEqual(last?.p50Ms ?? Infinity);
  await client.close();
}

async function work(stateAdapter: StateAdapter): Promise<void> {
  const client = createClient({ stateAdapter, jobTypes, observers: [] });
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      "mail.send": {
        retry: { maxAttempts: 2, backoff: { initialMs: 1 } },
        handler: async ({ job }) => {
          if (job.input.fate === "failed") throw new FatalError("there is no such address");
          if (job.input.fate === "retried" && job.attempt === 1) throw new Error("the server is away");
          return null;
        },
      },
      "mail.count": async () => null,
    },
  });
  const fates = ["sent", "sent", "sent", "failed", "retried"] as const;
  const mails = await client.startChains({
    items: fates.map((fate) => ({ typeName: "mail.send", input: { fate } }) as const),
  });
  const counts = await client.startChains({
    items: [1, 2].map(() => ({ typeName: "mail.count", input: null }) as const),
  });
  const worker = createWorker({ client, processors: [processors] });
  await worker.start();
  await Promise.allSettled([...mails, ...counts].map(async ({ id }) => await client.awaitChain({ id })));
  await worker.stop();
  await client.close();
}
