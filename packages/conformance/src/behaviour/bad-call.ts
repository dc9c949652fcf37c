import { createClient, createProcessors, createProcessorsWith, createWorker, defineJobTypes } from "chainwright";
import { newId } from "../state/build.ts";
import { call, type BadCall } from "./bad-input-call.ts";
import type { AppFixture } from "./fixture.ts";
import { processorsOf } from "./handlers.ts";
import { jobTypes } from "./job-types.ts";

const id = newId();
const otherJobTypes = defineJobTypes<{ work: { entry: true; input: null; output: null } }>();

/** Calls other than starts that are refused. */
export const badCalls: readonly BadCall[] = [
  ["completeChain without an id", (s) => call(s.client.completeChain, { typeName: "a", output: 1 }), "invalid-input"],
  ["completeChain without an output", (s) => call(s.client.completeChain, { id, typeName: "a" }), "invalid-input"],
  ["continueChain with nothing", (s) => call(s.client.continueChain, { id, typeName: "a" }), "invalid-input"],
  [
    "cancelChain with a reason of 100,000 characters",
    (s) => call(s.client.cancelChain, { id, reason: "x".repeat(100_000) }),
    "invalid-input",
  ],
  ["cancelChain with NUL in its reason", (s) => call(s.client.cancelChain, { id, reason: "\u0000" }), "invalid-input"],
  ["cancelChain with an invalid id", (s) => call(s.client.cancelChain, { id: "x" }), "invalid-input"],
  ["cancelChains with a text as items", (s) => call(s.client.cancelChains, { items: "all" }), "invalid-input"],
  ["pauseJobTypes without options", (s) => call(s.client.pauseJobTypes, undefined), "invalid-input"],
  ["pauseJobTypes without a type", (s) => call(s.client.pauseJobTypes, { typeNames: [] }), "invalid-input"],
  ["pauseJobTypes with one name", (s) => call(s.client.pauseJobTypes, { typeNames: "work" }), "invalid-input"],
  ["pauseJobTypes with no text as a name", (s) => call(s.client.pauseJobTypes, { typeNames: [1] }), "invalid-input"],
  [
    "pauseJobTypes for no time",
    (s) => call(s.client.pauseJobTypes, { typeNames: ["work"], forMs: 0 }),
    "invalid-input",
  ],
  [
    "pauseJobTypes with NUL in its reason",
    (s) => call(s.client.pauseJobTypes, { typeNames: ["work"], reason: "\u0000" }),
    "invalid-input",
  ],
  [
    "pauseJobTypes with a number as by",
    (s) => call(s.client.pauseJobTypes, { typeNames: ["work"], by: 1 }),
    "invalid-input",
  ],
  [
    "resumeJobTypes with an unknown option",
    (s) => call(s.client.resumeJobTypes, { typeNames: ["work"], reason: "x" }),
    "invalid-input",
  ],
  ["listPausedTypes with an unknown option", (s) => call(s.client.listPausedTypes, { typeNames: [] }), "invalid-input"],
  ["countQueuedJobs with an unknown option", (s) => call(s.client.countQueuedJobs, { typeNames: [] }), "invalid-input"],
  [
    "awaitIdle with a negative timeout",
    (s) => call(s.client.awaitIdle, { typeNames: ["work"], timeoutMs: -1 }),
    "invalid-input",
  ],
  [
    "awaitIdle with a text as pending",
    (s) => call(s.client.awaitIdle, { typeNames: ["work"], pending: "yes" }),
    "invalid-input",
  ],
  ["triggerJob with an invalid id", (s) => call(s.client.triggerJob, { id: null }), "invalid-input"],
  ["retryChain with an invalid id", (s) => call(s.client.retryChain, { id: {} }), "invalid-input"],
  ["retryChain with an input but no typeName", (s) => call(s.client.retryChain, { id, input: 1 }), "invalid-input"],
  [
    "retryChains with an input but no typeName",
    (s) => call(s.client.retryChains, { items: [{ id }, { id: newId(), input: 1 }] }),
    "invalid-input",
  ],
  [
    "retryChain with a whole chain",
    (s) => call(s.client.retryChain, { id, typeName: "work", input: 1, status: "failed" }),
    "invalid-input",
  ],
  ["deleteChain with an unknown option", (s) => call(s.client.deleteChain, { id, force: true }), "invalid-input"],
  ["getChain with an invalid id", (s) => call(s.client.getChain, { id: "1; drop table job" }), "invalid-input"],
  [
    "getChain with a misspelt property beside those of a chain",
    (s) => call(s.client.getChain, { id, createdAt: new Date(), inptu: 1 }),
    "invalid-input",
  ],
  ["getChain with a job", (s) => call(s.client.getChain, { id, chainId: id, createdAt: new Date() }), "invalid-input"],
  ["explainJob with the status of a chain", (s) => call(s.client.explainJob, { id, status: "x" }), "invalid-input"],
  ["explainChain with an invalid id", (s) => call(s.client.explainChain, { id: "x" }), "invalid-input"],
  [
    "listChainJobs with a filter beside the properties of a chain",
    (s) => call(s.client.listChainJobs, { id, createdAt: new Date(), ids: [id] }),
    "invalid-input",
  ],
  ["listChains with a limit of 0", (s) => call(s.client.listChains, { limit: 0 }), "invalid-input"],
  ["listChains with a huge limit", (s) => call(s.client.listChains, { limit: 1_000_000 }), "invalid-input"],
  ["listChains with an invalid cursor", (s) => call(s.client.listChains, { cursor: "next" }), "invalid-input"],
  ["listChains by an unknown status", (s) => call(s.client.listChains, { status: "done" }), "invalid-input"],
  ["listChains by invalid ids", (s) => call(s.client.listChains, { ids: ["x"] }), "invalid-input"],
  [
    "listChains from an invalid date",
    (s) => call(s.client.listChains, { createdFrom: new Date(Number.NaN) }),
    "invalid-input",
  ],
  ["listChains in an unknown order", (s) => call(s.client.listChains, { order: "random" }), "invalid-input"],
  ["listJobs with an unknown option", (s) => call(s.client.listJobs, { where: 1 }), "invalid-input"],
  [
    "listJobBlockers with an invalid cursor",
    (s) => call(s.client.listJobBlockers, { id, cursor: "x" }),
    "invalid-input",
  ],
  ["awaitChain with a negative timeout", (s) => call(s.client.awaitChain, { id }, { timeoutMs: -1 }), "invalid-input"],
  [
    "awaitChain with a timeout that is NaN",
    (s) => call(s.client.awaitChain, { id }, { timeoutMs: Number.NaN }),
    "invalid-input",
  ],
  [
    "createClient with an unknown option",
    (s) => call(createClient, { stateAdapter: s.state.adapter, jobTypes, retries: 1 }),
    "invalid-input",
  ],
  ["createClient without a state adapter", () => call(createClient, { jobTypes }), "invalid-input"],
  [
    "createClient with a slice twice",
    (s) => call(createClient, { stateAdapter: s.state.adapter, jobTypes: [jobTypes, jobTypes] }),
    "duplicate-job-type",
  ],
  [
    "createProcessors for a slice that the client does not have",
    (s) => call(createProcessors, { client: s.client, jobTypes: otherJobTypes, processors: { work: handler } }),
    "invalid-input",
  ],
  [
    "createProcessors without a client",
    () => call(createProcessors, { jobTypes, processors: { work: handler } }),
    "invalid-input",
  ],
  [
    "createProcessorsWith an unknown option",
    (s) => call(createProcessorsWith, { client: s.client, jobTypes }),
    "invalid-input",
  ],
  [
    "createWorker with processors of a client with another slice",
    async (s) => {
      const client = createClient({ stateAdapter: s.state.adapter, jobTypes: otherJobTypes });
      const others = createProcessors({ client, jobTypes: otherJobTypes, processors: { work: async () => null } });
      try {
        return await worker(s, { processors: [others] });
      } finally {
        await client.close();
      }
    },
    "invalid-input",
  ],
  ["createWorker without slots", (s) => worker(s, { concurrency: 0 }), "invalid-input"],
  ["createWorker with half a slot", (s) => worker(s, { concurrency: 1.5 }), "invalid-input"],
  ["createWorker with a lease too short to renew", (s) => worker(s, { leaseMs: 1 }), "invalid-input"],
  ["createWorker without pools", (s) => worker(s, { pools: [] }), "invalid-input"],
  ["createWorker with a pool that is no list", (s) => worker(s, { pools: "gpu" }), "invalid-input"],
  ["createWorker with an empty pool", (s) => worker(s, { pools: [null, ""] }), "invalid-input"],
  ["createWorker with an unknown option", (s) => worker(s, { concurency: 5 }), "invalid-input"],
  [
    "createWorker with processors that createProcessors did not make",
    (s) => worker(s, { processors: [{ work: () => 1 }] }),
    "invalid-input",
  ],
  [
    "createProcessors for a type name with a control character",
    (s) => processors(s, { "a\u001f": handler }),
    "invalid-input",
  ],
  ["createProcessors for a type name with a NUL", (s) => processors(s, { "a\u0000b": handler }), "invalid-input"],
  [
    "createProcessors for a type name with half a character",
    (s) => processors(s, { "\ud800": handler }),
    "invalid-input",
  ],
  ["createProcessors for an empty type name", (s) => processors(s, { "": handler }), "invalid-input"],
  [
    "createProcessors for a type name that is too long",
    (s) => processors(s, { ["n".repeat(5_000)]: handler }),
    "invalid-input",
  ],
  ["createProcessors with a handler that is not a function", (s) => processors(s, { work: 1 }), "invalid-input"],
  [
    "createProcessors with no attempts",
    (s) => processors(s, { work: { handler, retry: { maxBadCalls: 0 } } }),
    "invalid-input",
  ],
  [
    "createProcessors with a negative backoff",
    (s) => processors(s, { work: { handler, retry: { backoff: { initialMs: -1 } } } }),
    "invalid-input",
  ],
  ["createProcessors with an unknown option", (s) => processors(s, { work: { handler, timeout: 5 } }), "invalid-input"],
  [
    "one job type handled twice",
    (s) =>
      worker(s, { processors: [processorsOf(s.client, { work: handler }), processorsOf(s.client, { work: handler })] }),
    "duplicate-job-type",
  ],
];

function handler(): null {
  return null;
}

function worker(fixture: AppFixture, options: object): Promise<unknown> {
  return call(createWorker, {
    client: fixture.client,
    processors: [processorsOf(fixture.client, { work: handler })],
    ...options,
  });
}

function processors(fixture: AppFixture, given: object): Promise<unknown> {
  return call(createProcessors, { client: fixture.client, jobTypes, processors: given });
}
