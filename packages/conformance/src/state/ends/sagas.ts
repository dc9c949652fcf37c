import type { CancelReply, Compensation, FollowUpRecord, JobStart, WaitingJob } from "chainwright/adapter";
import { equal, match, only } from "../../check.ts";
import { completed, failed, job } from "../build.ts";
import { accepted, type Held, type StateFixture } from "../fixture.ts";

/** What undoes a step: the first job of a chain of type `undo`, whose input names the step. */
export function undo(name: string, details: Partial<Compensation> = {}): Compensation {
  return { typeName: "undo", input: JSON.stringify(name), priority: 0, context: undefined, ...details };
}

const apology = { typeName: "apologise", priority: 0 } as const;

/** A chain with a `whenStopped`. */
export function trip(typeName = "one", details: Partial<JobStart> = {}): JobStart {
  return job(typeName, { whenStopped: apology, ...details });
}

/** Claims the job of a type and continues it with a job of another one, recording what undoes it. */
export async function step(fixture: StateFixture, from: string, to: string, name = from): Promise<JobStart> {
  const next = job(to);
  const { fence } = await fixture.claimOne(from);
  await fixture.settled({ target: fence, kind: "continued", next, compensation: undo(name) });
  return next;
}

/** Records what undoes the step of a running attempt. */
export async function record(fixture: StateFixture, { fence }: Pick<Held, "fence">, compensation: Compensation) {
  return only("one reply", await fixture.store.compensate([{ target: fence, compensation }], fixture.options()));
}

export async function cancelOne(
  fixture: StateFixture,
  chainId: string,
  blockers: "cancel" | "leave" = "cancel",
): Promise<CancelReply> {
  const items = [{ chainId, reason: "no longer wanted", blockers }];
  return only("one reply", accepted("cancelled", await fixture.store.cancel(items, fixture.options())));
}

/** What the stop of a chain has started, in order: its kind, its input and its status. */
export async function followUpsOf(fixture: StateFixture, chainId: string): Promise<readonly FollowUpRecord[]> {
  return (await fixture.chain(chainId)).followUps ?? [];
}

export async function statusesOf(fixture: StateFixture, chainId: string): Promise<readonly string[]> {
  const followUps = await followUpsOf(fixture, chainId);
  const jobs = await fixture.store.getJobs(
    followUps.map((each) => each.chainId),
    fixture.options(),
  );
  return jobs.map((row) => row?.status ?? "missing");
}

/** Runs whatever is ready of the follow-ups, one after the other, and returns what they undid, in that order. */
export async function undone(
  fixture: StateFixture,
  types: readonly string[] = ["undo", "apologise"],
): Promise<string[]> {
  const names: string[] = [];
  for (;;) {
    const claimed = await fixture.claim(types);
    if (claimed.length === 0) return names;
    for (const { typeName, input } of claimed) names.push(typeName === "undo" ? String(JSON.parse(input)) : typeName);
    const outcomes = claimed.map(({ fence }) => completed(fence));
    const { settled } = await fixture.store.exchange({ outcomes, claim: undefined }, fixture.options());
    for (const { status } of settled) equal("it has completed", status, "settled");
  }
}

/** The outcome of an attempt whose job is gone: the reply says which follow-ups are ready now. */
export async function handIn(fixture: StateFixture, { fence }: Held): Promise<readonly WaitingJob[] | undefined> {
  const reply = await fixture.settle(completed(fence));
  match("the outcome is lost", reply, { status: "lost" });
  return reply.status === "lost" ? reply.ready : undefined;
}

/** The ways in which a chain of several steps stops while no attempt of it is running. */
export const stops: Readonly<Record<string, (fixture: StateFixture, chainId: string) => Promise<unknown>>> = {
  "its attempt fails": async (fixture) => await fixture.settled(failed((await fixture.claimOne("last")).fence)),
  "its step is failed from outside": async (fixture, chainId) =>
    await fixture.settled(failed({ chainId, typeName: "last" })),
  "it is cancelled": async (fixture, chainId) => await cancelOne(fixture, chainId),
  "it is cancelled after its attempt has lost its lease": async (fixture, chainId) => {
    await fixture.claimOne("last", { leaseMs: 10 });
    fixture.advance(10);
    await cancelOne(fixture, chainId);
  },
};
