import {
  createClient,
  createProcessors,
  createWorker,
  defineJobTypes,
  FatalError,
  type StateAdapter,
} from "chainwright";
import { drain } from "chainwright/testing";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDashboard } from "../src/create-dashboard.ts";
import type { AuditEntry, DashboardFailure, DashboardOptions, Principal } from "../src/options.ts";
import { requestHeader, routes } from "../src/protocol/routes.ts";
import { textOf } from "./attack.ts";
import { stores } from "./stores.ts";

/** 12,000 requests on each store with CHAINWRIGHT_SCALE=full. */
const requests = process.env["CHAINWRIGHT_SCALE"] === "full" ? 12_000 : 400;

const hidden = "4000-0000-0000-0002";
/** Only the admin is shown this. */
const salary = "salary 123456";

const orders = defineJobTypes<{
  "order.charge": { entry: true; input: { orderId: string; card: string; note: string }; output: { receipt: string } };
}>();
/** No worker processes these. */
const mails = defineJobTypes<{
  "mail.send": { entry: true; input: { to: string; card: string; note: string }; output: null };
}>();

/** Who sends a request, by the header `x-test-reader`. */
const readers: Readonly<Record<string, Principal | null>> = {
  viewer: { role: "viewer", name: "Vera" },
  // May retry and cancel what belongs to the tenant a.
  operator: {
    role: "operator",
    name: "Otto",
    actions: ["retry", "cancel"],
    mayEditInputs: false,
    mayActOn: ({ tags }) => tags["tenant"] === "a",
  },
  admin: { role: "admin", name: "Ada" },
  stranger: null,
};

/** A store with chains in each state of two tenants, and a dashboard on it. */
async function createTarget<Tx>(stateAdapter: StateAdapter<Tx>, hides: boolean) {
  const client = createClient({ stateAdapter, jobTypes: [orders, mails], observers: [] });
  const processors = createProcessors({
    client,
    jobTypes: orders,
    processors: {
      "order.charge": async ({ job }) => {
        if (job.input.orderId.startsWith("bad")) throw new FatalError(`card ${hidden} was declined: ${salary}`);
        return { receipt: `for ${hidden}` };
      },
    },
  });
  const worker = createWorker({ client, processors: [processors], name: "orders" });
  const item = (tenant: string, orderId: string) => {
    const tags = { tenant, orderId };
    const deduplication = { key: `${tenant} ${orderId} ${hidden}` };
    return { typeName: "order.charge", input: { orderId, card: hidden, note: salary }, tags, deduplication } as const;
  };
  await client.startChains({
    items: ["a", "b"].flatMap((tenant) => ["good 1", "bad 1", "bad 2", "bad 3"].map((each) => item(tenant, each))),
  });
  await worker.start();
  await drain({ client });
  await worker.stop();
  await client.startChains({
    items: ["a", "b"].flatMap((tenant) =>
      ["x", "y"].map((to) => ({
        typeName: "mail.send" as const,
        input: { to, card: hidden, note: salary },
        tags: { tenant },
        ...(to === "y" ? { schedule: { afterMs: 86_400_000 } } : {}),
      })),
    ),
  });
  const failures: DashboardFailure[] = [];
  const audited: AuditEntry[] = [];
  const dashboard = createDashboard({
    client,
    authorize: (request) => readers[request.headers.get("x-test-reader") ?? ""] ?? null,
    ...(hides && { redact }),
    audit: (entry) => void audited.push(entry),
    onError: (failure) => void failures.push(failure),
  });
  const { items } = await client.listChains({ limit: 100 });
  return { client, dashboard, failures, audited, chains: items };
}

const redact: DashboardOptions["redact"] = (value, { principal }) => {
  const text = (JSON.stringify(value) ?? "null").replaceAll(hidden, "[hidden]");
  return JSON.parse(principal.role === "admin" ? text : text.replaceAll(salary, "[hidden]")) as unknown;
};

/** Requests near to those that the pages make, and far from them. */
function requestsTo(ids: readonly string[]) {
  const hostile = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("-1", "1e309", "9".repeat(40), "'; drop table job --", "%", "_", "\\", "\u0000", "\ud800", "{}"),
    fc.constantFrom(hidden, salary, "tenant=a", "tenant=b", `card=${hidden}`, "order.charge", "mail.send", "*"),
  );
  const id = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: fc.uuid() }, hostile);
  const params: Readonly<Record<string, fc.Arbitrary<string>>> = {
    id,
    chain: id,
    job: id,
    cursor: fc.oneof(id, hostile),
    around: id,
    typeName: fc.oneof(fc.constantFrom("order.charge", "mail.send"), hostile),
    stepType: fc.oneof(fc.constantFrom("order.charge", "mail.send"), hostile),
    step: fc.constantFrom("ready", "running", "scheduled", "blocked", "waiting", "x"),
    status: fc.constantFrom("active", "completed", "failed", "cancelled", "__proto__"),
    tag: fc.oneof(fc.constantFrom("tenant=a", `orderId=${hidden}`), hostile),
    key: hostile,
    from: fc.oneof(fc.nat().map(String), hostile),
    until: fc.oneof(fc.nat().map(String), hostile),
    since: fc.oneof(fc.nat().map(String), hostile),
    errorText: hostile,
    order: fc.constantFrom("newest", "oldest", "running", "waiting", "x"),
    limit: fc.oneof(fc.integer({ min: -1, max: 200 }).map(String), hostile),
    group: hostile,
    level: fc.constantFrom("debug", "info", "warn", "error", "x"),
    text: hostile,
    busy: fc.constantFrom("true", "false"),
    worker: hostile,
    ["__proto__"]: hostile,
  };
  const query = fc.array(
    fc.constantFrom(...Object.keys(params)).chain((name) => fc.tuple(fc.constant(name), params[name] ?? hostile)),
    { maxLength: 3 },
  );
  const body = fc.oneof(
    { weight: 1, arbitrary: fc.json() },
    // What the page itself sends.
    {
      weight: 3,
      arbitrary: fc
        .record({
          action: fc.constantFrom("retry", "cancel", "delete"),
          ids: fc.uniqueArray(fc.constantFrom(...ids), { minLength: 1, maxLength: 4 }),
        })
        .map((made) => JSON.stringify(made)),
    },
    {
      weight: 4,
      arbitrary: fc
        .record(
          {
            action: fc.constantFrom(
              "retry",
              "cancel",
              "delete",
              "trigger",
              "pause",
              "resume",
              "send-signal",
              "edit-schedule",
              "x",
            ),
            ids: fc.array(fc.oneof({ weight: 5, arbitrary: id }, fc.constantFrom("mail.send", "order.charge")), {
              maxLength: 4,
            }),
            reason: hostile,
            cascade: fc.boolean(),
            typeName: fc.constantFrom("order.charge", "mail.send", "x"),
            edit: fc.array(
              fc.record({
                op: fc.constantFrom("add", "replace", "remove"),
                path: fc.constantFrom("/card", "/note", "", "/__proto__/x", "/constructor", "/a/b"),
                value: fc.jsonValue(),
              }),
              { maxLength: 2 },
            ),
            signal: fc.jsonValue(),
          },
          { requiredKeys: ["action", "ids"] },
        )
        .map((made) => JSON.stringify(made)),
    },
  );
  const route = fc.constantFrom(...Object.values(routes));
  return fc.oneof(
    fc.record({
      path: route.map(({ path }) => path),
      method: fc.constant("GET"),
      query,
      body,
      isOwn: fc.constant(true),
    }),
    fc.record({
      path: fc.constantFrom("-/act", "-/preview"),
      method: fc.constant("POST"),
      query: fc.constant<[string, string][]>([]),
      body,
      isOwn: fc.integer({ min: 0, max: 9 }).map((roll) => roll > 0),
    }),
    fc.record({
      path: fc.oneof(
        route.map(({ path }) => path),
        fc.webPath(),
      ),
      method: fc.constantFrom("GET", "POST", "PUT", "DELETE", "HEAD", "PATCH"),
      query,
      body,
      isOwn: fc.boolean(),
    }),
  );
}

async function attack<Tx>(stateAdapter: StateAdapter<Tx>, hides: boolean): Promise<void> {
  const { client, dashboard, failures, audited, chains } = await createTarget(stateAdapter, hides);
  onTestFinished(() => client.close());
  const outcomes = new Map<number, number>();
  const reader = fc.constantFrom("viewer", "operator", "stranger");
  const made = fc.tuple(requestsTo(chains.map(({ id }) => id)), reader);
  await fc.assert(
    fc.asyncProperty(made, async ([{ path, method, query, body, isOwn }, who]) => {
      const url = new URL(`http://localhost/${path.replace(/^\/+/, "")}`);
      for (const [name, value] of query) url.searchParams.append(name, value);
      const headers = new Headers({ "x-test-reader": who });
      if (isOwn) {
        headers.set("origin", "http://localhost");
        headers.set("content-type", "application/json");
        headers.set(requestHeader, "1");
      }
      const hasBody = method !== "GET" && method !== "HEAD";
      const response = await dashboard.fetch(new Request(url, { method, headers, ...(hasBody ? { body } : {}) }));
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
      const text = isStream ? "" : await textOf(response);
      if (isStream) await response.body?.cancel();
      outcomes.set(response.status, (outcomes.get(response.status) ?? 0) + 1);
      // Pages need a build of the web UI, which this test does without.
      const isUnbuilt = response.status === 503 && !url.pathname.startsWith("/-/");
      expect(isUnbuilt ? 200 : response.status).toBeLessThan(500);
      // A stranger gets nothing, and a viewer does nothing.
      const isStranger = who === "stranger";
      expect(isStranger ? response.status : 401).toBe(401);
      expect(who === "viewer" && method === "POST" && response.status === 200).toBe(false);
      for (const secret of hides ? [hidden, salary] : []) expect(text).not.toContain(secret);
      // What was read may contain stacks of the application's own errors; refusals may not.
      expect(response.status < 400 ? "" : text).not.toMatch(/node_modules|\.ts:\d|select .* from|SQLITE|relation "/);
    }),
    { numRuns: requests, seed: 28 },
  );
  // What was done was the operator's, on chains of the tenant a, and only what the operator may do.
  const tenantOf = new Map(chains.map(({ id, tags }) => [id, tags["tenant"]]));
  const done = audited.filter((entry) => entry.done.length > 0);
  expect(new Set(done.map(({ name }) => name))).toEqual(new Set(["Otto"]));
  expect(new Set(done.flatMap((entry) => entry.done.map((id) => tenantOf.get(id))))).toEqual(new Set(["a"]));
  expect(done.filter(({ action, edit }) => !["retry", "cancel"].includes(action) || edit !== undefined)).toEqual([]);
  const after = await client.listChains({ limit: 100 });
  const stateOf = (items: typeof chains) =>
    items.filter(({ tags }) => tags["tenant"] === "b").map(({ id, status }) => [id, status]);
  expect(stateOf(after.items)).toEqual(stateOf(chains));
  expect(after.items).toHaveLength(chains.length);
  expect(await client.listPausedTypes()).toEqual([]);
  expect(failures).toEqual([]);
  // The attack reached what it is about: reads and actions that pass, and every kind of refusal.
  expect([...outcomes.keys()]).toEqual(expect.arrayContaining([200, 400, 401, 403]));
}

describe("random requests fail inside of no store, leak nothing hidden, and do nothing that the reader may not", () => {
  const timeout = requests > 400 ? 900_000 : 120_000;
  for (const { name, isMissing, open } of stores)
    for (const hides of [true, false])
      it.skipIf(isMissing)(`${name}${hides ? "" : ", without a redact"}`, { timeout }, async () => {
        await attack(await open(), hides);
      });
});
