import type { CallOptions, StateAdapter } from "chainwright/adapter";
import { completed, job, newId } from "./build.ts";
import { chainQuery, jobQuery } from "./listing.ts";

type Call = (store: StateAdapter, options: CallOptions<unknown>) => Promise<unknown>;

const id = newId();

/** Each method of the port that needs the store, called so that it has to look. */
export const everyCall: readonly (readonly [name: string, call: Call])[] = [
  ["transaction", (store, options) => store.transaction((tx) => store.getChains([id], { ...options, tx }))],
  ["start", (store, options) => store.start([{ starts: [job("a")] }], options)],
  [
    "exchange",
    (store, options) =>
      store.exchange(
        { outcomes: [], claim: { workerId: "w", types: [{ typeName: "a", leaseMs: 1_000 }], limit: 1 } },
        options,
      ),
  ],
  ["settle", (store, options) => store.settle([completed({ chainId: id, typeName: "a" })], options)],
  [
    "compensate",
    (store, options) =>
      store.compensate(
        [
          {
            target: { jobId: id, workerId: "w", fence: 1 },
            compensation: { typeName: "a", input: "null", priority: 0, context: undefined },
          },
        ],
        options,
      ),
  ],
  [
    "renew",
    (store, options) => store.renew({ workerId: "w", held: [{ jobId: id, fence: 1, leaseMs: 1_000 }] }, options),
  ],
  [
    "heartbeat",
    (store, options) =>
      store.heartbeat(
        { workerId: "w", name: "n", typeNames: [], concurrency: 1, holds: 0, aliveForMs: 1_000 },
        options,
      ),
  ],
  [
    "setPauses",
    (store, options) =>
      store.setPauses(
        { pauses: [{ typeName: "a", reason: undefined, by: undefined, forMs: undefined }], resume: ["b"] },
        options,
      ),
  ],
  [
    "changeLimits",
    (store, options) =>
      store.changeLimits(
        [{ kind: "declare", limit: "l", rule: { concurrency: 1, rate: undefined }, codeVersion: undefined }],
        options,
      ),
  ],
  [
    "tick",
    (store, options) =>
      store.tick(
        [{ scheduleId: "s", advance: undefined, starts: [], skipped: [], missed: 0, overlap: "allow" }],
        options,
      ),
  ],
  [
    "changeSchedules",
    (store, options) =>
      store.changeSchedules([{ id: "s", from: { revision: 1, nextAt: undefined }, to: undefined }], options),
  ],
  [
    "signal",
    (store, options) =>
      store.signal(
        [{ chainId: id, typeName: "a", signal: "s", payload: "null", signalId: undefined, context: undefined }],
        options,
      ),
  ],
  [
    "note",
    (store, options) =>
      store.note([{ target: { jobId: id, workerId: "w", fence: 1 }, attempt: 1, progress: "1" }], options),
  ],
  ["trigger", (store, options) => store.trigger([id], options)],
  ["cancel", (store, options) => store.cancel([{ chainId: id, reason: undefined }], options)],
  ["retry", (store, options) => store.retry([{ chainId: id, input: undefined, typeName: undefined }], options)],
  ["remove", (store, options) => store.remove({ chainIds: [id], cascade: false }, options)],
  ["getChains", (store, options) => store.getChains([id], options)],
  ["getKeyHolders", (store, options) => store.getKeyHolders(["k"], options)],
  ["getJobs", (store, options) => store.getJobs([id], options)],
  ["listChains", (store, options) => store.listChains(chainQuery(), options)],
  ["listJobs", (store, options) => store.listJobs(jobQuery(), options)],
  ["listDue", (store, options) => store.listDue({ typeNames: undefined, after: undefined, limit: 1 }, options)],
  ["reach", (store, options) => store.reach({ after: undefined, limit: 1, order: "ascending" }, options)],
  ["listBlockers", (store, options) => store.listBlockers({ jobId: id, afterPosition: undefined, limit: 1 }, options)],
  ["countBlockers", (store, options) => store.countBlockers({ of: "chain", id }, options)],
  ["countAhead", (store, options) => store.countAhead(id, 1, options)],
  ["listSignals", (store, options) => store.listSignals({ chainId: id, after: undefined, limit: 1 }, options)],
  [
    "listNotes",
    (store, options) =>
      store.listNotes({ items: [{ jobId: id }], lines: 1, order: "ascending", memos: "all" }, options),
  ],
  ["listPauses", (store, options) => store.listPauses(options)],
  ["listLimits", (store, options) => store.listLimits({ limit: 1 }, options)],
  ["listLimitDeclarations", (store, options) => store.listLimitDeclarations(options)],
  ["dueSchedules", (store, options) => store.dueSchedules(1, options)],
  [
    "listSchedules",
    (store, options) => store.listSchedules({ after: undefined, limit: 1, order: "ascending" }, options),
  ],
  ["listTicks", (store, options) => store.listTicks({ chainIds: [id] }, options)],
  ["listWorkers", (store, options) => store.listWorkers(options)],
  ["count", (store, options) => store.count(options)],
  ["countQueued", (store, options) => store.countQueued(options)],
  ["storeId", (store, options) => store.storeId(options)],
  [
    "inspect",
    (store, options) =>
      store.inspect({ check: "jobs", after: undefined, limit: 1, heldBeforeMs: 1, timeMs: 1_000 }, options),
  ],
  [
    "repair",
    (store, options) =>
      store.repair({ faults: [{ kind: "stale-key", id: "k", chainId: id }], limit: 1, timeMs: 1 }, options),
  ],
  ["maintain", (store, options) => store.maintain({ completedMs: 1, failedMs: 1, limit: 1 }, options)],
];
