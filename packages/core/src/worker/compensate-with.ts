import type { Engine } from "../engine/engine.ts";
import type { Fence, LostReason } from "../model/outcome.ts";
import type { ClaimedJob } from "../model/record.ts";
import { stepOf } from "../operations/outcome-of.ts";
import { prepareCompensation, type CompensationItem } from "../operations/prepare-follow-ups.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";

interface Attempting {
  readonly engine: Engine;
  readonly job: ClaimedJob;
  readonly fence: Fence;
}

/** Records what undoes the step of an attempt. Returns why the attempt has lost its job; undefined: it is recorded. */
export async function recordCompensation(
  { engine, job, fence: target }: Attempting,
  item: CompensationItem,
): Promise<LostReason | undefined> {
  const { state, clock } = engine;
  const compensation = await prepareCompensation(engine, item, stepOf(job));
  const call = () => state.compensate([{ target, compensation }], engine.callOptions());
  const replies = await retryConflicts(state, clock, call);
  const [reply] = replies;
  if (reply === undefined || replies.length > 1)
    throw new TypeError(`the state adapter must return one reply for a compensation; got ${replies.length}.`);
  return reply === "recorded" ? undefined : reply;
}
