import type { Consequences, ExchangeReply, JobStart } from "chainwright/adapter";
import { failureOf } from "../check.ts";
import { blockedBy, job } from "./build.ts";
import type { StateFixture } from "./fixture.ts";

/** More jobs than any store releases in one call. */
export const many = 1_200;

/** Starts that wait for a chain. */
export function waitingFor(chainId: string, count: number, details: Partial<JobStart> = {}): JobStart[] {
  return Array.from({ length: count }, () => job("a", { blockers: [blockedBy(chainId)], ...details }));
}

/** An exchange that claims nothing: it carries on one step. */
export function step(fixture: StateFixture, tx?: unknown): Promise<ExchangeReply> {
  return fixture.store.exchange({ outcomes: [], claim: undefined }, fixture.options(tx));
}

export interface Released {
  readonly unblocked: readonly string[];
  readonly failed: readonly string[];
}

/** The ids of the jobs that calls released. An id that is reported twice is returned twice. */
export function releasedBy(consequences: readonly Consequences[]): Released {
  return {
    unblocked: consequences.flatMap(({ unblocked }) => unblocked.map(({ jobId }) => jobId)),
    failed: consequences.flatMap(({ failed }) => failed.map(({ jobId }) => jobId)),
  };
}

const mostSteps = 100;

/** Carries on until nothing is left. Returns all released jobs, including those that earlier calls reported. */
export async function carryOn(fixture: StateFixture, earlier: readonly Consequences[] = []): Promise<Released> {
  const all = [...earlier];
  for (let steps = 0; steps < mostSteps; steps += 1) {
    const { released, nextDueInMs } = await fixture.insist(() => step(fixture));
    all.push(released);
    if (!released.releasing && nextDueInMs === undefined) return releasedBy(all);
  }
  throw failureOf("the release ends", { wanted: `at most ${mostSteps} steps`, actual: "more" });
}
