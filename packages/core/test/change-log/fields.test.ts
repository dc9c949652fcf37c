import { expect, it } from "vitest";
import { contentOf } from "../../src/change-log/content.ts";
import { collect, createCollected } from "../../src/change-log/collect.ts";
import type { Change } from "../../src/change-log/change.ts";
import { blockingFields, endsFields, jobFields, sharedFields } from "../../src/change-log/fates.ts";
import { restoreStore } from "../../src/change-log/restore.ts";
import { laneFor } from "../../src/in-process/lanes.ts";
import type { Blocking, JobRow } from "../../src/in-process/row-types.ts";
import { addRow, createStore } from "../../src/in-process/store.ts";
import { pictureOf } from "./picture.ts";

/** Chains in which every field has a value of its own. */
function createFilled() {
  const store = createStore();
  const plain = { step: 1, createdAt: 11, onBlockerFailure: "fail", outputVersion: 1, attempt: 0, fence: 0 } as const;
  const none = { context: undefined, output: undefined, errors: undefined, lease: undefined, endedAt: undefined };
  const noLinks = { next: undefined, blocking: undefined, wait: undefined, last: undefined, shared: undefined };
  const add = (id: string, change: Partial<JobRow>): JobRow => {
    const lane = laneFor(store.lanes, { typeName: "a", version: 3, pool: "gpu" }, 7);
    const position = store.jobs.size + 1;
    const rest = {
      id,
      chain: undefined,
      lane,
      position,
      status: "ready",
      input: id,
      readyAt: 5,
      queued: undefined,
    } as const;
    const row: JobRow = { ...plain, ...none, ...noLinks, ...rest, ...change };
    addRow(store, row);
    return row;
  };
  const blocker = add("blocker", {});
  const lease = { workerId: "w", startedAt: 21, until: 22 };
  const ended = { status: "failed", endedAt: 23, lease, attempt: 4, fence: 5, output: "6", outputVersion: 8 } as const;
  const blocking: Blocking = { chains: [blocker, undefined], own: [blocker], left: 1, countedAt: 9, failedBy: blocker };
  const wait = { until: 31, collect: { go: 2 }, topics: ["t"], received: [] };
  const first = add("first", { context: "c", onBlockerFailure: "wait", status: "completed", endedAt: 24 });
  const last = add("last", { chain: first, step: 2, errors: "[1]", blocking, wait, ...ended });
  first.next = last;
  first.last = last;
  const attempt = { jobId: "last", workerId: "w", fence: 5 };
  first.shared = {
    reason: "why",
    deduplication: { key: "k", scope: "any", until: 41, heldUntil: 42, chain: first },
    tags: { colour: "red" },
    dependents: undefined,
    startedFor: blocker,
    follows: blocker,
    ends: {
      whenStopped: { typeName: "clean", priority: 1 },
      deadlineAt: 51,
      held: { attempt, until: 52 },
      compensations: [
        { step: 1, isOwn: true, compensation: { typeName: "undo", input: "1", priority: 0, context: "x" } },
      ],
      followUps: [{ chain: blocker, kind: "compensation" }],
    },
  };
  blocker.shared = { ...first.shared, deduplication: undefined, ends: undefined, dependents: new Set([last]) };
  return { store, first, last };
}

const loggedIn = (fates: Readonly<Record<string, string>>) =>
  Object.keys(fates).filter((name) => fates[name] === "logged");

it("keeps every field of a job, its blockers, its chain and the end of its chain", () => {
  const { store, first, last } = createFilled();
  const filled = { ...first, ...Object.fromEntries(Object.entries(last).filter(([, value]) => value !== undefined)) };
  expect(loggedIn(jobFields).filter((name) => filled[name as keyof JobRow] === undefined)).toEqual([]);
  const parts = { ...last.blocking, ...first.shared, ...first.shared?.ends };
  const others = [blockingFields, sharedFields, endsFields].flatMap(loggedIn);
  expect(others.filter((name) => parts[name as keyof typeof parts] === undefined)).toEqual([]);

  const text = JSON.stringify([...contentOf(store, () => {})]);
  const collected = createCollected();
  for (const change of JSON.parse(text) as readonly Change[]) collect(collected, change);
  expect(pictureOf(restoreStore(store.id, collected))).toEqual(pictureOf(store));
});
