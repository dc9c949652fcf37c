import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Stage } from "./stage.ts";
import { onEachStore } from "./stores.ts";

const runs = 5_000;
/** fast-check prints it with a failure, and the path to the smallest one. */
const seed = 26;
/** What no response may contain: of the type that the callers may not see, of the code, of the store. */
const leaks = /mail\.send|the address|node_modules|\.ts:\d|select .* from|SQLITE_|postgres/i;

/** Values that fit somewhere, and those that fit nowhere. */
function valuesWith(tokens: readonly string[], ids: readonly string[]) {
  const typeName = fc.constantFrom(
    "image.resize",
    "image.publish",
    "image.order",
    "image.discard",
    "image.",
    "",
    "__proto__",
    "x".repeat(2_000),
  );
  const number = fc.constantFrom(0, 1, -1, 0.5, 100, 1e9, 1e308, -0);
  const token = fc.oneof(
    fc.constantFrom(...tokens, ...tokens.map((each) => each.slice(0, -1)), tokens.join("."), ""),
    fc.string(),
  );
  const id = fc.oneof(fc.constantFrom(...ids), fc.uuid(), fc.string());
  const moment = fc.constantFrom("2026-01-01T00:00:00Z", "tomorrow", "+275760-09-13T00:00:00.001Z", "");
  const schedule = fc.oneof(fc.record({ at: moment }), fc.record({ afterMs: number }), fc.constant("forever"));
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("a", "\u0000", "\ud800"));
  const input = fc.oneof(fc.record({ width: number }), fc.record({ url: text }), fc.jsonValue());
  const few = { minLength: 1, maxLength: 2 };
  const required: { requiredKeys: ["typeName", "input"] } = { requiredKeys: ["typeName", "input"] };
  const optional = { requiredKeys: [] };
  const step = { typeName, input, schedule, priority: number, waitUntil: schedule, topics: fc.array(text) };
  const sent = { typeName, signal: fc.constantFrom("paid", ""), payload: input, signalId: text };
  const signals = fc.array(fc.record(sent, { requiredKeys: ["typeName", "signal"] }), { maxLength: 2 });
  const { blocker } = fc.letrec((tie) => ({
    blocker: fc.oneof(
      { maxDepth: 3 },
      fc.record({ id, typeName }),
      fc.record({ ...step, id, signals, blockers: fc.array(tie("blocker"), { maxLength: 2 }) }, required),
    ),
  }));
  const blocked = { blockers: fc.array(blocker, { maxLength: 3 }), collect: fc.dictionary(text, number) };
  const compensate = fc.record({ ...step, whenStopped: typeName }, optional);
  const keys = { id, tags: fc.dictionary(text, text), pool: text, idempotencyKey: text, deadline: schedule, signals };
  const key = {
    deduplication: fc.record({ key: text }),
    debounce: fc.record({ key: text, quietMs: number, maxWaitMs: number }),
  };
  const chain = fc.record({ ...step, ...blocked, ...keys, ...key, whenStopped: typeName }, optional);
  const kind = fc.constantFrom("completed", "continued", "failed", "rescheduled", "returned", "x");
  const error = fc.record({ name: text, message: text, stack: text }, optional);
  const outcome = fc.record(
    {
      token,
      kind,
      output: input,
      next: fc.record({ ...step, ...blocked, compensate }, optional),
      error,
      fatal: fc.boolean(),
      afterMs: number,
      at: moment,
    },
    { requiredKeys: ["token", "kind"] },
  );
  const claim = fc.record(
    { types: fc.array(typeName), limit: number, leaseMs: number, pools: fc.array(text) },
    optional,
  );
  const bodies = [
    fc.record({ chains: fc.array(chain, { maxLength: 3 }) }),
    fc.record({ worker: text, outcomes: fc.array(outcome, { maxLength: 3 }), claim }, optional),
    fc.record({ jobs: fc.array(fc.record({ token, leaseMs: number }), { maxLength: 3 }) }),
    fc.record({ reason: text, typeName, input, signal: text, payload: input, signalId: text }, optional),
    fc.jsonValue(),
  ];
  const resize = { typeName: fc.constant("image.resize"), input: fc.record({ width: number }) };
  const settled = { token: fc.constantFrom(...tokens), kind: fc.constantFrom("completed", "failed", "returned") };
  // Most random bodies fail at the first check; these have at most a few properties that are wrong.
  const nearly = [
    fc.constant({}),
    fc.record({ chains: fc.array(fc.record({ ...resize, priority: number, idempotencyKey: text }, required), few) }),
    fc.record({ chains: fc.array(fc.record({ ...resize, schedule, tags: keys.tags }, required), few) }),
    fc.record({
      chains: fc.array(fc.record({ ...resize, blockers: fc.array(fc.record({ ...resize, signals }), few) }), few),
    }),
    fc.record({ chains: fc.array(fc.record({ ...resize, signals, idempotencyKey: text }, required), few) }),
    fc.record({
      outcomes: fc.array(fc.record({ ...settled, output: input, error }, { requiredKeys: ["token", "kind"] }), few),
    }),
  ];
  const body = fc.oneof(
    ...[...bodies, ...nearly].map((each) => each.map((value) => JSON.stringify(value))),
    fc.string(),
  );
  const action = fc.constantFrom("", "/cancel", "/retry", "/trigger", "/signal", "/x");
  const ofChain = fc.tuple(id, action).map(([of, act]) => `/v1/chains/${encodeURIComponent(of.toWellFormed())}${act}`);
  const path = fc.oneof(
    fc.constantFrom("/v1/chains", "/v1/exchange", "/v1/leases", "/v1/types", "/", "/v1/%2e"),
    ofChain,
  );
  return { path, body };
}

/** What a refused request must not change. */
async function stateOf({ client }: Stage): Promise<string> {
  const { items } = await client.listChains({ limit: 100 });
  const jobs = (await client.listJobs({ limit: 100 })).items;
  return JSON.stringify([
    items.map(({ id, status }) => [id, status]),
    // A scheduled job becomes ready by itself.
    jobs.map(({ id, status, attempt }) => [id, status.replace("scheduled", "ready"), attempt]),
  ]);
}

onEachStore((stage) => {
  it("returns 500 to none of 5,000 random requests, names no foreign type, and changes nothing where it refuses", async () => {
    const leaseMs = 3_600_000;
    const made = await stage({ elsewhere: { "image.resize": { leaseMs } } });
    const { client, failures, as, claimOne, start } = made;
    await client.startChain({ typeName: "mail.send", input: { to: "the address" } });
    const ids = [await start(), await start(), await start(2, { schedule: { afterMs: 3_600_000 } })];
    const tokens = [(await claimOne({ leaseMs })).token, (await claimOne({ leaseMs })).token];
    const { path, body } = valuesWith(tokens, ids);
    const method = fc.constantFrom("POST", "POST", "POST", "GET", "DELETE");
    const header = fc.constantFrom("application/json", "application/json; charset=utf-8", "text/plain", "");
    const who = fc.constantFrom("images", "images", "reader");
    const idempotency = fc.option(fc.string({ unit: "grapheme-ascii", maxLength: 600 }), { nil: undefined });
    const statuses = new Set<number>();
    const request = fc.record({ at: path, sent: body, verb: method, type: header, key: who, once: idempotency });
    let before = await stateOf(made);
    await fc.assert(
      fc.asyncProperty(request, async ({ at, sent, verb, type, key, once }) => {
        const headers = { "content-type": type, ...(once !== undefined && { "idempotency-key": once }) };
        const { status, body: said } = await as(key).send(verb, at, verb === "POST" ? sent : undefined, { headers });
        expect(status).not.toBe(500);
        statuses.add(status);
        // The reader may see that type and no other one.
        expect(JSON.stringify(said)).not.toMatch(key === "images" ? leaks : /image\.publish/);
        const after = await stateOf(made);
        const isRefused = status >= 400 && !("results" in said);
        expect(after === before || !isRefused).toBe(true);
        before = after;
      }),
      { numRuns: runs, seed },
    );
    expect(failures).toEqual([]);
    // It has come behind the checks.
    for (const status of [200, 201, 400, 403, 404, 415]) expect(statuses).toContain(status);
  }, 600_000);
});
