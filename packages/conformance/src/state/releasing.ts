import type { Consequences, ExchangeReply, JobStart } from "chainwright/adapter";
import { ConformanceFailure } from "../check.ts";
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

export interface Told {
  readonly unblocked: readonly string[];
  readonly failed: readonly string[];
}

/** The ids of the jobs that calls released, those told several times as often as they were told. */
export function toldBy(consequences: readonly Consequences[]): Told {
  return {
    unblocked: consequences.flatMap(({ unblocked }) => unblocked.map(({ jobId }) => jobId)),
    failed: consequences.flatMap(({ failed }) => failed.map(({ jobId }) => jobId)),
  };
}

const mostSteps = 100;

/** Carries on until nothing is left, and returns what became of the jobs, with what earlier calls told. */
export async function carryOn(fixture: StateFixture, earlier: readonly Consequences[] = []): Promise<Told> {
  const told = [...earlier];
  for (let steps = 0; steps < mostSteps; steps += 1) {
    const { released, nextDueInMs } = await fixture.insist(() => step(fixture));
    told.push(released);
    if (!released.releasing && nextDueInMs === undefined) return toldBy(told);
  }
  throw new ConformanceFailure("the release ends", { expected: `at most ${mostSteps} steps`, actual: "more" });
}
