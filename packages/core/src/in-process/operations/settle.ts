import type { JobStart } from "../../model/job-start.ts";
import type { OpenStep, Outcome } from "../../model/outcome.ts";
import { dueAt } from "../../model/schedule.ts";
import type { Consequences, Refusal, Reply, SettleReply, StartedJob } from "../../ports/state.ts";
import { resolveBlockers } from "../begin-chain.ts";
import { createBudget, followEnd } from "../chain-end.ts";
import type { Budget } from "../chain-end.ts";
import { findCycle } from "../cycle.ts";
import { allOrNothing } from "../journal.ts";
import { findLeased, lostReasonOf } from "../leases.ts";
import { noConsequences, nothing, refused, toStartedJob } from "../records.ts";
import { chainOf, chainStatusOf, lastOf } from "../rows.ts";
import type { JobRow, Lease } from "../rows.ts";
import { enter, leave } from "../store.ts";
import type { Store } from "../store.ts";
import { writeJob } from "../write-job.ts";

export function settle(store: Store, outcomes: readonly Outcome[], now: number): readonly SettleReply[] {
  if (outcomes.length === 0) return nothing;
  const replies: SettleReply[] = [];
  const budget = createBudget();
  for (const outcome of outcomes) replies.push(settleOne(store, outcome, { budget, now }));
  return replies;
}

function settleOne(store: Store, outcome: Outcome, call: Call): SettleReply {
  const { target } = outcome;
  if ("jobId" in target) {
    const row = findLeased(store, target);
    if (row === undefined) return { status: "lost", reason: lostReasonOf(store, target) };
    return write(store, row, outcome, { ...call, lease: row.lease });
  }
  const row = findOpen(store, target);
  if ("code" in row) return { status: "refused", refusal: row };
  // Not a worker's doing: nobody's attempt ended it, and an attempt under way finds its lease gone.
  return write(store, row, outcome, { ...call, lease: undefined });
}

function findOpen(store: Store, { chainId, typeName }: OpenStep): JobRow | Refusal {
  const chain = store.jobs.get(chainId);
  if (chain === undefined || chain.chain !== undefined) return { code: "chain-not-found", id: chainId };
  const status = chainStatusOf(chain);
  if (status !== "active") return { code: "chain-not-active", id: chainId, actual: status };
  const row = lastOf(chain);
  const actual = row.lane.type.name;
  return actual === typeName ? row : { code: "job-type-mismatch", id: chainId, actual };
}

type Deferred = Extract<Outcome, { readonly kind: "deferred" }>;

interface Call {
  readonly budget: Budget;
  readonly now: number;
}

interface Ending extends Call {
  readonly lease: Lease | undefined;
}

function write(store: Store, row: JobRow, outcome: Outcome, ending: Ending): SettleReply {
  if (outcome.kind === "continued") return continueWith(store, row, outcome.next, ending);
  if (outcome.kind === "deferred") {
    defer(store, row, outcome, ending.now);
    return settled(row, nothing, noConsequences);
  }
  leave(store, row);
  if (outcome.kind === "completed") row.output = outcome.output;
  else row.errors = outcome.errors;
  end(store, row, outcome.kind, ending);
  return settled(row, nothing, followEnd(store, chainOf(row), ending.budget, ending.now));
}

function defer(store: Store, row: JobRow, outcome: Deferred, now: number): void {
  leave(store, row);
  row.readyAt = outcome.schedule === undefined ? now : Math.max(now, dueAt(outcome.schedule, now));
  row.status = row.readyAt > now ? "scheduled" : "ready";
  row.lease = undefined;
  if (!outcome.counted) row.attempt -= 1;
  row.errors = outcome.errors ?? row.errors;
  enter(store, row);
}

function end(store: Store, row: JobRow, status: "completed" | "failed", { now, lease }: Ending): void {
  row.status = status;
  row.lease = lease;
  row.endedAt = now;
  enter(store, row);
}

function continueWith(store: Store, row: JobRow, next: JobStart, ending: Ending): SettleReply {
  // Without blockers all that may refuse it comes before the first thing it writes.
  const reply =
    next.blockers.length === 0
      ? writeNext(store, row, next, ending.now)
      : allOrNothing(store, () => writeNext(store, row, next, ending.now));
  if (!reply.ok) return { status: "refused", refusal: reply.refusal };
  const { nextRow, started } = reply.value;
  leave(store, row);
  row.next = nextRow;
  end(store, row, "completed", ending);
  const failed = nextRow.status === "failed";
  return settled(row, started, failed ? followEnd(store, chainOf(row), ending.budget, ending.now) : noConsequences);
}

interface Next {
  readonly nextRow: JobRow;
  readonly started: readonly StartedJob[];
}

function writeNext(store: Store, row: JobRow, next: JobStart, now: number): Reply<Next> {
  const chain = chainOf(row);
  const begun: StartedJob[] = [];
  const blockers = resolveBlockers(store, next, begun, now);
  if ("code" in blockers) return refused(blockers);
  if (store.jobs.has(next.id)) return refused({ code: "duplicate-id", id: next.id });
  const references = blockers.length === 0 ? undefined : findCycle(chain, blockers);
  if (references !== undefined) return refused({ code: "blocker-cycle", id: chain.id, references });
  const nextRow = writeJob(store, next, { chain, step: row.step + 1, blockers }, now);
  return { ok: true, value: { nextRow, started: [toStartedJob(nextRow, now), ...begun] } };
}

function settled(row: JobRow, started: readonly StartedJob[], consequences: Consequences): SettleReply {
  return {
    status: "settled",
    jobId: row.id,
    chainId: chainOf(row).id,
    typeName: row.lane.type.name,
    started,
    unblocked: consequences.unblocked,
    failed: consequences.failed,
    reblocked: consequences.reblocked,
    releasing: consequences.releasing,
  };
}
