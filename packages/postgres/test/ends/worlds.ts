import type { StateAdapter } from "chainwright";
import type { ClaimedJob, Compensation, JobStart } from "chainwright/adapter";
import { claimOf, job } from "../jobs.ts";

/** What undoes an effect: a chain whose input names the effect. */
export function undo(effect: string): Compensation {
  return { typeName: "undo", input: JSON.stringify(effect), priority: 0, context: undefined };
}

const apologise = { typeName: "apologise", priority: 0 } as const;
const deadlineMs = 600_000;

/** A chain with effects on record, and the chains that it has started for itself. */
export interface Saga {
  /** The chain that has to undo the effects if it stops. */
  readonly root: JobStart;
  /** The attempt that is running. */
  readonly held: ClaimedJob;
  /** A blocker of the open job that no worker has claimed. */
  readonly other: JobStart | undefined;
  /** The effects that are on record for certain. */
  readonly recorded: readonly string[];
  /** A moment after its deadline. */
  readonly late: number;
}

async function claimOne<Tx>(store: StateAdapter<Tx>, typeName: string): Promise<ClaimedJob> {
  const { claimed } = await store.exchange({ outcomes: [], claim: claimOf([typeName], 1) }, {});
  const [held] = claimed;
  if (held === undefined) throw new Error(`${typeName} was not claimed`);
  return held;
}

export function fence({ id, fence: number }: ClaimedJob) {
  return { jobId: id, workerId: "worker", fence: number };
}

/** Its first step is compensated, its second one is running, and has recorded what undoes it. */
export async function running<Tx>(store: StateAdapter<Tx>): Promise<Saga> {
  const root = job("one", { whenStopped: apologise, deadline: { afterMs: deadlineMs } });
  await store.start([{ starts: [root] }], {});
  const first = await claimOne(store, "one");
  await store.settle([{ target: fence(first), kind: "continued", next: job("two"), compensation: undo("one") }], {});
  const held = await claimOne(store, "two");
  await store.compensate([{ target: fence(held), compensation: undo("two") }], {});
  return { root, held, other: undefined, recorded: ["one", "two"], late: Date.now() + deadlineMs + 1 };
}

/** It waits for two blockers that it has started; one of them is running, and has recorded what undoes it. */
export async function waiting<Tx>(store: StateAdapter<Tx>): Promise<Saga> {
  const [left, right] = [job("left"), job("right")];
  const root = job("top", {
    whenStopped: apologise,
    deadline: { afterMs: deadlineMs },
    blockers: [{ start: left }, { start: right }],
  });
  await store.start([{ starts: [root] }], {});
  const held = await claimOne(store, "left");
  await store.compensate([{ target: fence(held), compensation: undo("left") }], {});
  return { root, held, other: right, recorded: ["left"], late: Date.now() + deadlineMs + 1 };
}

/** It has failed, and no follow-up has begun. */
export async function stopped<Tx>(store: StateAdapter<Tx>): Promise<Saga> {
  const saga = await running(store);
  await store.settle([{ target: fence(saga.held), kind: "failed", errors: "[]" }], {});
  return saga;
}
