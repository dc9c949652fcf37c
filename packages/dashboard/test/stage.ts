import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  FatalError,
} from "chainwright";
import { createVirtualClock, drain } from "chainwright/testing";
import * as v from "valibot";
import { createDashboardAt } from "../src/create-dashboard.ts";
import type { AuditEntry, DashboardFailure, DashboardOptions } from "../src/options.ts";
import type { Role } from "../src/protocol/actions.ts";
import { requestHeader } from "../src/protocol/routes.ts";

const card = v.optional(v.string());

const orders = defineJobTypes({
  "order.place": {
    entry: true,
    input: v.object({ orderId: v.string(), cents: v.number(), card }),
    continueWith: ["order.charge"],
  },
  "order.charge": {
    input: v.object({ orderId: v.string(), cents: v.number(), card }),
    output: v.object({ receipt: v.string(), card }),
    blockers: ["stock.reserve"],
  },
  "stock.reserve": { entry: true, input: v.object({ sku: v.string() }), output: v.object({ reserved: v.number() }) },
});

/** No worker processes these types. */
const mails = defineJobTypes({
  "mail.send": { entry: true, input: v.object({ to: v.string() }), output: v.object({ sent: v.boolean() }) },
});

/** A text in the errors of failing handlers that must not be shown. */
const secret = "4000-0000-0000-0002";

type Options = Partial<Omit<DashboardOptions, "client">>;

/** A client on the in-process adapter, a worker for its orders, and a dashboard whose role comes from a request header. */
export async function createStage(options: Options = {}, openStore = createInProcessStateAdapter) {
  const clock = createVirtualClock();
  const client = createClient({
    stateAdapter: openStore({ clock }),
    jobTypes: [orders, mails],
    clock,
    observers: [],
  });
  const failures: DashboardFailure[] = [];
  const audited: AuditEntry[] = [];
  const dashboard = createDashboardAt(
    {
      client,
      authorize: (request) => ({ role: (request.headers.get("x-test-role") ?? "admin") as Role, name: "Ada" }),
      onError: (failure) => void failures.push(failure),
      audit: (entry) => void audited.push(entry),
      ...options,
    },
    clock,
  );

  const get = async (path: string, init: RequestInit = {}) =>
    await dashboard.fetch(new Request(`http://localhost/${path}`, init));
  const post = async (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    await dashboard.fetch(
      new Request(`http://localhost/${path}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          origin: "http://localhost",
          [requestHeader]: "1",
          ...headers,
        },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    );
  return {
    clock,
    client,
    dashboard,
    failures,
    audited,
    get,
    post,
    /** Runs every job that can run. */
    work: async () => {
      const worker = createWorker({ client, processors: [ordersOf(client)], name: "orders-1" });
      await worker.start();
      await drain({ client });
      await worker.stop();
    },
    /** Starts an order whose charge fails if it has no cents. */
    order: async (orderId: string, cents = 100) =>
      await client.startChain({ typeName: "order.place", input: { orderId, cents, card: secret } }),
  };
}

export type Stage = Awaited<ReturnType<typeof createStage>>;

/** The JSON of a path. */
export async function read<Answer>(stage: Stage, path: string): Promise<Answer> {
  const response = await stage.get(path);
  if (response.status !== 200) throw new Error(`${path} returned ${response.status}`);
  return (await response.json()) as Answer;
}

function ordersOf(client: ReturnType<typeof clientType>) {
  return createProcessors({
    client,
    jobTypes: orders,
    processors: {
      "order.place": async ({ job, continueWith }) =>
        continueWith({
          typeName: "order.charge",
          input: job.input,
          blockers: [{ typeName: "stock.reserve", input: { sku: job.input.orderId } }],
        }),
      "order.charge": async ({ job }) => {
        if (job.input.cents <= 0) throw new FatalError(`order ${job.input.orderId}: card ${secret} was declined`);
        return { receipt: `r-${job.input.orderId}`, card: job.input.card };
      },
      "stock.reserve": async () => ({ reserved: 1 }),
    },
  });
}

/** Used for its type only. */
function clientType() {
  return createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes: [orders, mails], observers: [] });
}
