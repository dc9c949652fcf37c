import type { Compensation } from "../model/compensation.ts";
import type { EndRows, FollowUpLink } from "../rules/end-rows.ts";
import type { FollowUpRecord } from "../model/record.ts";
import { noEnds, type ChainEnds, type StepCompensation } from "./chain-ends.ts";
import { enterHeap, leaveHeap, peekKey } from "./lazy-heap.ts";
import { chainOf, chainStatusOf, lastOf, statusAt } from "./row-types.ts";
import type { JobRow } from "./row-types.ts";
import { noShared } from "./shared.ts";
import { touch } from "./store.ts";
import type { Store } from "./store.ts";

export function createEnds(store: Store): EndRows<JobRow, JobRow> {
  const change = (chain: JobRow, changes: Partial<ChainEnds<JobRow>>): void =>
    setEnds(store, chain, { ...(chain.shared?.ends ?? noEnds), ...changes });
  return {
    of: (chain) => {
      const ends = chain.shared?.ends;
      return ends && { whenStopped: ends.whenStopped, held: ends.held };
    },
    compensationsOf: (chain) => inOrder(chain.shared?.ends?.compensations ?? []),
    followUpsOf: (chain) => (chain.shared?.ends?.followUps ?? []).map(toLink),
    followedBy,
    entryOf: ({ lane, input }) => ({ typeName: lane.type.name, version: lane.type.version, input }),
    stopOf: (chain) => {
      const { id: jobId, lane, errors } = lastOf(chain);
      const step = { jobId, typeName: lane.type.name };
      const facts = { input: chain.input, startedAt: chain.createdAt, step, errors, reason: chain.shared?.reason };
      return { ...facts, status: chainStatusOf(chain) };
    },
    attemptOf: (job, now) =>
      statusAt(job, now) === "running" && job.lease !== undefined
        ? { attempt: { jobId: job.id, workerId: job.lease.workerId, fence: job.fence }, until: job.lease.until }
        : undefined,
    startedFor: ({ shared }) => (shared?.startedFor?.status === "removed" ? undefined : shared?.startedFor),
    ownBlockersOf: ({ blocking }) => (blocking?.own ?? []).filter(isActive),
    overdue: (now, limit) => overdue(store, now, limit),
    nextDeadlineAt: () => peekKey(store.deadlines),

    record: (job, compensation) => {
      const chain = chainOf(job);
      const others = (chain.shared?.ends?.compensations ?? []).filter(({ step, isOwn }) => step !== job.step || !isOwn);
      change(chain, { compensations: [...others, { step: job.step, isOwn: true, compensation }] });
    },
    pass: (chain, job) => {
      const passed = inOrder(chain.shared?.ends?.compensations ?? []);
      const to = chainOf(job);
      const added = passed.map((compensation) => ({ step: job.step, isOwn: false, compensation }));
      change(to, { compensations: [...(to.shared?.ends?.compensations ?? []), ...added] });
    },
    forget: (chain) => change(chain, { compensations: [] }),
    dropDeadline: (chain) => {
      if (chain.shared?.ends?.deadlineAt !== undefined) change(chain, { deadlineAt: undefined });
    },
    hold: (chain, held) => change(chain, { held }),
    link: (chain, followUp, kind) => {
      change(chain, { followUps: [...(chain.shared?.ends?.followUps ?? []), { chain: followUp, kind }] });
      touch(store, followUp);
      followUp.shared = { ...(followUp.shared ?? noShared), follows: chain };
    },
    unlink: (chain) => change(chain, { followUps: [] }),
  };
}

/** Writes what happens when a chain stops. */
export function setEnds(store: Store, chain: JobRow, ends: ChainEnds<JobRow>): void {
  moveDeadline(store, chain, { from: chain.shared?.ends?.deadlineAt, to: ends.deadlineAt });
  touch(store, chain);
  chain.shared = { ...(chain.shared ?? noShared), ends };
}

/** The stopped chain for whose stop a chain was started. Undefined: none, or that one was deleted or retried. */
export function followedBy(chain: JobRow): JobRow | undefined {
  const stopped = chain.shared?.follows;
  const followUps = stopped?.status === "removed" ? undefined : stopped?.shared?.ends?.followUps;
  return followUps?.some((followUp) => followUp.chain === chain) === true ? stopped : undefined;
}

/** As records show them. Undefined: none. */
export function followUpsOf(chain: JobRow): readonly FollowUpRecord[] | undefined {
  const records = (chain.shared?.ends?.followUps ?? []).flatMap(({ chain: row, kind }): FollowUpRecord[] =>
    row.status === "removed"
      ? []
      : [{ chainId: row.id, typeName: row.lane.type.name, kind, status: chainStatusOf(row) }],
  );
  return records.length === 0 ? undefined : records;
}

/** Whether a chain is active that the stop of this one has started. */
export function hasOpenFollowUps(chain: JobRow): boolean {
  return (chain.shared?.ends?.followUps ?? []).some(({ chain: row }) => isActive(row));
}

/** Keeps the deadline of a chain in its index. */
export function moveDeadline(
  store: Store,
  chain: JobRow,
  { from, to }: { readonly from: number | undefined; readonly to: number | undefined },
): void {
  if (from === to) return;
  if (from !== undefined) leaveHeap(store.deadlines);
  if (to !== undefined) enterHeap(store.deadlines, to, chain);
  store.journal?.push(() => {
    if (to !== undefined) leaveHeap(store.deadlines);
    if (from !== undefined) enterHeap(store.deadlines, from, chain);
  });
}

function inOrder(compensations: readonly StepCompensation[]): readonly Compensation[] {
  return compensations
    .toSorted((left, right) => left.step - right.step || Number(left.isOwn) - Number(right.isOwn))
    .map(({ compensation }) => compensation);
}

function toLink({ chain, kind }: ChainEnds<JobRow>["followUps"][number]): FollowUpLink<JobRow, JobRow> {
  if (chain.status === "removed") return { chainId: chain.id, kind, row: undefined };
  const isClaimed = chain.fence > 0 || chain.next !== undefined;
  return { chainId: chain.id, kind, row: { chain, job: lastOf(chain), isClaimed } };
}

function overdue(store: Store, now: number, limit: number): JobRow[] {
  const { keys, items, valid } = store.deadlines;
  if (keys.length === 0) return [];
  const due = new Map<JobRow, number>();
  for (const [index, chain] of items.entries()) {
    const at = keys[index];
    if (at !== undefined && at <= now && valid(chain, at)) due.set(chain, at);
  }
  return [...due.keys()].sort((left, right) => (due.get(left) ?? 0) - (due.get(right) ?? 0)).slice(0, limit);
}

/** Whether a chain has not ended. */
function isActive(chain: JobRow): boolean {
  return chain.status !== "removed" && chainStatusOf(chain) === "active";
}
