import type { MaintainReply, MaintainRequest } from "chainwright/adapter";
import type { StateFixture } from "./fixture.ts";

const mostPasses = 100;

export async function maintain(fixture: StateFixture, details: Partial<MaintainRequest> = {}): Promise<MaintainReply> {
  const request = { completedMs: undefined, failedMs: undefined, limit: 100, ...details };
  return await fixture.store.maintain(request, fixture.options());
}

/** Runs passes until nothing is left to do. Returns how many chains they deleted. */
export async function maintainAll(fixture: StateFixture, details: Partial<MaintainRequest> = {}): Promise<number> {
  let removed = 0;
  for (let pass = 0; pass < mostPasses; pass += 1) {
    const reply = await maintain(fixture, details);
    removed += reply.removed;
    if (!reply.more && reply.removed === 0) return removed;
  }
  throw new Error(`upkeep has not finished after ${mostPasses} passes`);
}
