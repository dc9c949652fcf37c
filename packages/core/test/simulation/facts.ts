import type { ChainwrightEvent } from "../../src/model/event.ts";
import type { Outcome } from "../../src/model/outcome.ts";
import type { CancelReply, RemoveReply, RetryReply } from "../../src/ports/change.ts";
import type { ExchangeReply, ExchangeRequest, SettleReply } from "../../src/ports/exchange.ts";
import type { Consequences, JobRef, Reply, StartedJob } from "../../src/ports/reply.ts";
import type { StartReply } from "../../src/ports/start.ts";
import type { StateAdapter } from "../../src/ports/state.ts";

/** Something that became true, as `type id`: the content of an event, as the store shows it. */
export type Fact = `${string} ${string}`;

/**
 * What a reply of the store says to have happened. Written from the port's contract and not from the engine, so that the two
 * vouch for each other.
 */
export function factsOf(method: keyof StateAdapter, request: unknown, reply: unknown): readonly Fact[] {
  switch (method) {
    case "start":
      return (reply as readonly Reply<readonly StartReply[]>[]).flatMap((call) =>
        call.ok ? call.value.flatMap(started) : [],
      );
    case "settle":
      return settled(request as readonly Outcome[], reply as readonly SettleReply[]);
    case "exchange": {
      const { settled: replies, claimed } = reply as ExchangeReply;
      const { outcomes } = request as ExchangeRequest;
      return [...settled(outcomes, replies), ...claimed.map(({ id }): Fact => `job-claimed ${id}`)];
    }
    case "trigger":
      return taken(reply as Reply<readonly JobRef[]>).map(({ jobId }): Fact => `job-triggered ${jobId}`);
    case "cancel":
      return taken(reply as Reply<readonly CancelReply[]>).flatMap((cancelled): Fact[] => [
        `job-cancelled ${cancelled.jobId}`,
        `chain-cancelled ${cancelled.chainId}`,
        ...(cancelled.blockers ?? []).flatMap(({ jobId, chainId }): Fact[] => [
          `job-cancelled ${jobId}`,
          `chain-cancelled ${chainId}`,
        ]),
        ...consequences(cancelled),
      ]);
    case "retry":
      return taken(reply as Reply<readonly RetryReply[]>).flatMap((retried): Fact[] => [
        `chain-retried ${retried.job.chainId}`,
        `job-started ${retried.job.jobId}`,
        ...consequences(retried),
      ]);
    case "remove":
      return taken(reply as Reply<readonly RemoveReply[]>).map(({ chainId }): Fact => `chain-deleted ${chainId}`);
    default:
      return [];
  }
}

const ownEvents: ReadonlySet<string> = new Set([
  "attempt-ended",
  "lease-lost",
  "outcome-held-up",
  "handler-mistake",
  "input-unreadable",
  "wait-timed-out",
  "signal-received",
  "signal-buffered",
  "signal-unused",
]);

/** The same of an event; undefined: the store's side knows nothing of it. */
export function factOf(event: ChainwrightEvent): Fact | undefined {
  if (!("chainId" in event) || "scheduleId" in event || ownEvents.has(event.type)) return undefined;
  if (event.type === "chain-deleted" || event.type === "chain-deduplicated") return `${event.type} ${event.chainId}`;
  return `${event.type} ${event.type.startsWith("chain-") || !("jobId" in event) ? event.chainId : event.jobId}`;
}

function taken<T>(reply: Reply<readonly T[]>): readonly T[] {
  return reply.ok ? reply.value : [];
}

function started(chain: StartReply): Fact[] {
  if (chain.replaced !== undefined) return [`chain-debounced ${chain.id}`];
  return chain.deduplicated ? [`chain-deduplicated ${chain.id}`] : chain.jobs.flatMap(begun);
}

function begun({ jobId, chainId, status }: StartedJob): Fact[] {
  const facts: Fact[] =
    jobId === chainId ? [`chain-started ${chainId}`, `job-started ${jobId}`] : [`job-started ${jobId}`];
  return status === "failed" ? [...facts, `job-failed ${jobId}`, `chain-failed ${chainId}`] : facts;
}

function settled(outcomes: readonly Outcome[], replies: readonly SettleReply[]): Fact[] {
  return replies.flatMap((reply, index) => {
    const outcome = outcomes[index];
    if (reply.status !== "settled" || outcome === undefined) return [];
    return [...ended(outcome, reply), ...reply.started.flatMap(begun), ...consequences(reply)];
  });
}

function ended({ kind }: Outcome, { jobId, chainId }: JobRef): Fact[] {
  switch (kind) {
    case "completed":
      return [`job-completed ${jobId}`, `chain-completed ${chainId}`];
    case "failed":
      return [`job-failed ${jobId}`, `chain-failed ${chainId}`];
    case "continued":
      return [`job-continued ${jobId}`];
    case "deferred":
      return [`job-retried ${jobId}`];
  }
}

function consequences({ unblocked, failed, reblocked }: Consequences): Fact[] {
  return [
    ...unblocked.map(({ jobId }): Fact => `job-unblocked ${jobId}`),
    ...failed.flatMap(({ jobId, chainId }): Fact[] => [`job-failed ${jobId}`, `chain-failed ${chainId}`]),
    ...reblocked.flatMap(({ jobId, chainId }): Fact[] => [`chain-retried ${chainId}`, `job-blocked ${jobId}`]),
  ];
}
