import { createNoopMeter, type Attributes, type Meter } from "@opentelemetry/api";
import type { ChainwrightEvent } from "chainwright";
import { createBounded } from "./bounded.ts";
import { attribute, system } from "./conventions.ts";
import { createNoteMetrics, tripBoundaries } from "./note-metrics.ts";

/** The conventions' own boundaries for durations, in seconds. */
const durationBoundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const waitBoundaries = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800, 3_600, 21_600, 86_400];
const sizeBoundaries = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];

/** The highest number of distinct values of an attribute; further values are counted as one. */
export const mostTypes = 1_000;
const mostErrors = 50;
const mostLimits = 100;

function createInstruments(meter: Meter) {
  const seconds = (name: string, description: string, boundaries: number[]) =>
    meter.createHistogram(name, { unit: "s", description, advice: { explicitBucketBoundaries: boundaries } });
  return {
    sent: meter.createCounter("messaging.client.sent.messages", {
      unit: "{message}",
      description: "Jobs started: first steps, continuations, and steps restarted by retryChain.",
    }),
    consumed: meter.createCounter("messaging.client.consumed.messages", {
      unit: "{message}",
      description: "Jobs claimed by workers of this process.",
    }),
    processed: seconds("messaging.process.duration", "Duration of attempts.", durationBoundaries),
    waited: seconds("chainwright.job.wait.duration", "Time from when a job could run to its claim.", waitBoundaries),
    retried: meter.createCounter("chainwright.job.retried", {
      unit: "{attempt}",
      description: "Attempts after which the job will run again.",
    }),
    failed: meter.createCounter("chainwright.job.failed", {
      unit: "{job}",
      description: "Jobs that failed for good, and with them their chains.",
    }),
    unreadable: meter.createCounter("chainwright.job.unreadable", {
      unit: "{job}",
      description: "Claimed jobs that were put off because a stored value cannot be read; no attempt is used up.",
    }),
    debounced: meter.createCounter("chainwright.chain.debounced", {
      unit: "{start}",
      description: "Starts with debounce or throttle that replaced the input of a chain that waits.",
    }),
    limitBeginnings: meter.createCounter("chainwright.limit.beginnings", {
      unit: "{attempt}",
      description: "Attempts that began under a limit, in this process.",
    }),
    ...createBreakerInstruments(meter),
    leaseLost: meter.createCounter("chainwright.lease.lost", {
      unit: "{lease}",
      description: "Attempts that lost the lease of their job.",
    }),
    exchangeSize: meter.createHistogram("chainwright.exchange.size", {
      unit: "{job}",
      description: "Jobs settled and claimed in one round trip to the store.",
      advice: { explicitBucketBoundaries: sizeBoundaries },
    }),
    exchanged: seconds("chainwright.exchange.duration", "Duration of round trips to the store.", tripBoundaries),
    connectionLost: meter.createCounter("chainwright.connection.lost", {
      unit: "{loss}",
      description: "Times that the store or the notifications became unreachable.",
    }),
    upkeepFailed: meter.createCounter("chainwright.upkeep.failed", {
      unit: "{failure}",
      description: "Failures of maintenance.",
    }),
  };
}

function createBreakerInstruments(meter: Meter) {
  return {
    "limit-opened": meter.createCounter("chainwright.limit.opened", {
      unit: "{key}",
      description: "Keys of a limit that failures have closed: its breaker has opened.",
    }),
    "limit-closed": meter.createCounter("chainwright.limit.closed", {
      unit: "{key}",
      description: "Keys of a limit that are normal again after a success: its breaker is closed.",
    }),
  };
}

/** Counts events. Every attribute has few values: job types, kinds of errors, fixed words. */
export function createMetrics(meter: Meter): (event: ChainwrightEvent) => void {
  // Without an SDK there is nothing to record.
  if (meter === createNoopMeter()) return () => undefined;
  const [to, attributesOf] = [createInstruments(meter), createAttributes()];
  const countNotes = createNoteMetrics(meter, attributesOf.type);
  // A series that begins with its first loss has not increased, so no alert would fire.
  for (const connection of [storeConnection, notifyConnection]) to.connectionLost.add(0, connection);

  return (event) => {
    switch (event.type) {
      case "job-started":
        to.sent.add(1, attributesOf.operation(operationOf[event.cause], event.typeName));
        return;
      case "job-claimed":
        to.consumed.add(1, attributesOf.operation("claim", event.typeName));
        to.waited.record(event.waitedMs / 1_000, attributesOf.type(event.typeName));
        for (const limit of event.limits ?? []) to.limitBeginnings.add(1, attributesOf.limit(limit));
        return;
      case "attempt-ended":
        to.processed.record(
          event.durationMs / 1_000,
          attributesOf.operation("process", event.typeName, event.error?.name),
        );
        return;
      case "job-retried":
        to.retried.add(1, { ...attributesOf.type(event.typeName), [attribute.reason]: event.reason });
        return;
      case "job-failed":
        to.failed.add(1, attributesOf.failure(event.typeName, event.error?.name ?? "blocker-failed"));
        return;
      case "input-unreadable":
        to.unreadable.add(1, { ...attributesOf.type(event.typeName), [attribute.reason]: event.reason });
        return;
      case "chain-debounced":
        to.debounced.add(1, { ...attributesOf.type(event.typeName), [attribute.reason]: event.by });
        return;
      case "limit-opened":
      case "limit-closed":
        to[event.type].add(1, attributesOf.limit(event.limit));
        return;
      case "lease-lost":
        to.leaseLost.add(1, { ...attributesOf.type(event.typeName), [attribute.reason]: event.reason });
        return;
      case "exchanged":
        to.exchangeSize.record(event.settled, settledPart);
        to.exchangeSize.record(event.claimed, claimedPart);
        to.exchanged.record(event.durationMs / 1_000, plain);
        return;
      case "upkeep-failed":
        to.upkeepFailed.add(1, { ...plain, [attribute.chore]: event.chore });
        return;
      case "store-lost":
      case "notifications-lost":
        to.connectionLost.add(1, event.type === "store-lost" ? storeConnection : notifyConnection);
        return;
      default:
        countNotes(event);
    }
  };
}

const operationOf = { start: "start", continuation: "continue", retry: "retry" } as const;

const plain: Attributes = { [attribute.system]: system };
const settledPart: Attributes = { ...plain, [attribute.exchangePart]: "settled" };
const storeConnection: Attributes = { ...plain, [attribute.connection]: "store" };
const notifyConnection: Attributes = { ...plain, [attribute.connection]: "notifications" };
const claimedPart: Attributes = { ...plain, [attribute.exchangePart]: "claimed" };

/** Creates the attributes of data points; those without an error are cached. */
function createAttributes() {
  const typeNames = createBounded(mostTypes);
  const errorTypes = createBounded(mostErrors);
  const limits = createBounded(mostLimits);
  const byType = new Map<string, Attributes>();
  const byOperation = new Map<string, Map<string, Attributes>>();

  const type = (given: string): Attributes => {
    const typeName = typeNames(given);
    const known = byType.get(typeName);
    if (known !== undefined) return known;
    const attributes = { ...plain, [attribute.destination]: typeName };
    byType.set(typeName, attributes);
    return attributes;
  };
  const operation = (name: string, given: string, error?: string): Attributes => {
    if (error !== undefined) return { ...operation(name, given), [attribute.errorType]: errorTypes(error) };
    const typeName = typeNames(given);
    const ofType = byOperation.get(typeName) ?? new Map<string, Attributes>();
    byOperation.set(typeName, ofType);
    const attributes = ofType.get(name) ?? { ...type(typeName), [attribute.operationName]: name };
    ofType.set(name, attributes);
    return attributes;
  };
  return {
    type,
    operation,
    limit: (limit: string) => ({ ...plain, [attribute.limit]: limits(limit) }),
    failure: (typeName: string, error: string) => ({ ...type(typeName), [attribute.errorType]: errorTypes(error) }),
  };
}
