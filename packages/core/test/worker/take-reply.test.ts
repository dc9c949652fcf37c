import type { ClaimedJob, Outcome, SettleReply } from "chainwright/adapter";
import { createVirtualClock } from "chainwright/testing";
import { expect, it } from "vitest";
import type { Noting } from "../../src/worker/notes/noting-attempt.ts";
import { createAttempt } from "../../src/worker/attempt.ts";
import { createHandIn } from "../../src/worker/hand-in.ts";
import { createProcessor, mergeProcessors } from "../../src/worker/processor.ts";
import { lateReplyEvents, takeReply } from "../../src/worker/take-reply.ts";
import { createRig } from "../rig.ts";

const clock = createVirtualClock();
const job: ClaimedJob = {
  id: "1",
  chainId: "1",
  typeName: "pack",
  step: 1,
  version: 1,
  pool: undefined,
  input: "null",
  attempt: 1,
  fence: 1,
  errors: undefined,
  priority: 0,
  createdAt: 0,
  waitedMs: 0,
  context: undefined,
  blockers: [],
  limits: [{ limit: "shop", key: "a" }],
};
const definition = createProcessor("pack", () => null, { middleware: [], options: [] });
const target = { jobId: "1", workerId: "w", fence: 1 };
const completed: Outcome = { kind: "completed", target, output: "null" };
const putBack: Outcome = { kind: "deferred", target, schedule: undefined, counted: true, errors: undefined };
const lost = (reason: "lease-lost" | "cancelled" | "completed-elsewhere"): SettleReply => ({ status: "lost", reason });
const settled: SettleReply = {
  status: "settled",
  jobId: "1",
  chainId: "1",
  typeName: "pack",
  started: [],
  unblocked: [],
  failed: [],
  reblocked: [],
  releasing: false,
};

const noting: Noting = {
  pump: { note: async () => ({ status: "noted" }), report: () => undefined, stop: () => undefined },
  isStopping: () => false,
};

/** Returns what was noted: whether the job was put back. */
function noted(outcome: Outcome, replies: readonly SettleReply[]): readonly boolean[] {
  const notes: boolean[] = [];
  const reader = { clock, onEnded: (_: unknown, isPutBack: boolean) => void notes.push(isPutBack) };
  const { engine } = createRig();
  const processor = mergeProcessors([[definition]]).get("pack");
  if (processor === undefined) throw new Error("there is no processor");
  const attempt = createAttempt(engine, job, processor, { workerId: "w", noting });
  const item = createHandIn(attempt, { job, leaseMs: 1, leasedUntil: 1 }, outcome);
  const [first, ...late] = replies;
  if (first !== undefined) takeReply(reader, item, first);
  for (const reply of late) lateReplyEvents(reader, item, reply);
  return notes;
}

it("the end of an attempt is noted once, however many calls carried its outcome", () => {
  expect(noted(completed, [settled])).toEqual([false]);
  expect(noted(putBack, [settled, settled])).toEqual([true]);
  expect(noted(completed, [{ status: "busy" }, settled])).toEqual([false]);
});

it("a job that was ended from outside has ended, and one whose lease was lost has not", () => {
  expect(noted(completed, [lost("lease-lost")])).toEqual([]);
  expect(noted(putBack, [lost("cancelled")])).toEqual([false]);
  // The late call has completed it.
  expect(noted(completed, [lost("completed-elsewhere"), settled])).toEqual([false]);
});
