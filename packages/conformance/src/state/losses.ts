import { deferred, failed } from "./build.ts";
import { accepted, type Held, type StateFixture } from "./fixture.ts";

/** The lease with which the attempts begin. */
export const leaseMs = 1_000;

/** Ways in which an attempt loses its job, after which the job can be claimed again. */
export const losses: Readonly<Record<string, (fixture: StateFixture, held: Held) => Promise<void>>> = {
  "ended with a retry": async (fixture, { fence }) => {
    await fixture.settled(deferred(fence));
  },
  "rescheduled its job": async (fixture, { fence }) => {
    await fixture.settled(deferred(fence, { counted: false, schedule: { afterMs: 5 } }));
    fixture.advance(5);
  },
  "rescheduled its job, which was triggered": async (fixture, { id, fence }) => {
    await fixture.settled(deferred(fence, { counted: false, schedule: { afterMs: 5_000 } }));
    accepted("triggered", await fixture.store.trigger([id], fixture.options()));
  },
  "was given back": async (fixture, { fence }) => {
    await fixture.settled(deferred(fence, { counted: false }));
  },
  "lost its lease": async (fixture) => {
    fixture.advance(leaseMs);
  },
  "failed, its chain retried": async (fixture, { chainId, fence }) => {
    await fixture.settled(failed(fence));
    accepted("retried", await fixture.store.retry([again(chainId)], fixture.options()));
  },
  "was cancelled, its chain retried": async (fixture, { chainId }) => {
    accepted("cancelled", await fixture.store.cancel([{ chainId, reason: undefined }], fixture.options()));
    accepted("retried", await fixture.store.retry([again(chainId)], fixture.options()));
  },
  "was ended from outside as failed, its chain retried": async (fixture, { chainId, typeName }) => {
    await fixture.settled(failed({ chainId, typeName }));
    accepted("retried", await fixture.store.retry([again(chainId)], fixture.options()));
  },
};

export function again(chainId: string) {
  return { chainId, input: undefined, typeName: undefined };
}
