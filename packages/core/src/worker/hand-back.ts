import type { ClaimedJob } from "../model/record.ts";
import { createAttempt } from "./attempt.ts";
import { releaseOutcome } from "./failure-outcome.ts";
import { createHandIn, type HandIn, type Lease } from "./hand-in.ts";
import { hasUsedAThird, type Held, type Slots } from "./held.ts";
import { handIn } from "./outbox.ts";
import type { Processor } from "./processor.ts";

/** Gives back jobs that were claimed too late to begin. */
export function handBack(slots: Slots, jobs: readonly ClaimedJob[]): void {
  for (const job of jobs) {
    const processor = processorOf(slots, job.typeName);
    const leaseMs = processor.leaseMs ?? slots.leaseMs;
    handIn(slots.outbox, unbegun(slots, { job, processor, leaseMs, leasedUntil: slots.engine.clock.now() }));
  }
}

/** Gives back the jobs that wait for a slot or for others of their batch, or some of them. */
export function handBackWaiting(slots: Slots, which: (job: ClaimedJob) => boolean = () => true): void {
  for (const held of slots.buffer.splice(0)) {
    if (which(held.job)) handIn(slots.outbox, unbegun(slots, held));
    else slots.buffer.push(held);
  }
  for (const held of slots.gathering.remove(({ job }) => which(job))) handIn(slots.outbox, unbegun(slots, held));
}

/**
 * Gives back the jobs that have waited for a slot for a third of their lease: jobs behind quick ones turned out to be long, and other
 * workers may have free slots. The rest of the buffer is younger, or waits until it is alone.
 */
export function handBackOld(slots: Slots): void {
  const now = slots.engine.clock.now();
  for (const held of slots.buffer.splice(0)) {
    if (!held.isSuspect && hasUsedAThird(held, now)) handIn(slots.outbox, unbegun(slots, held));
    else slots.buffer.push(held);
  }
}

/** Gives a claimed job back whose handler was not called. */
export function unbegun(slots: Slots, lease: Lease & Pick<Held, "processor">): HandIn {
  const attempt = createAttempt(slots.engine, lease.job, lease.processor, slots);
  return createHandIn(attempt, lease, releaseOutcome(attempt.fence));
}

export function processorOf({ processors }: Slots, typeName: string): Processor {
  const processor = processors.get(typeName);
  if (processor !== undefined) return processor;
  throw new TypeError(`the state adapter must return jobs of the claimed types only; got one of "${typeName}".`);
}
