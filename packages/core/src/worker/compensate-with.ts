import type { Engine } from "../engine/engine.ts";
import type { Fence, LostReason } from "../model/outcome.ts";
import type { ClaimedJob } from "../model/record.ts";
import { stepOf } from "../operations/outcome-of.ts";
import { prepareCompensation, type CompensationItem } from "../operations/prepare-follow-ups.ts";

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
  const compensation = await prepareCompensation(engine, item, stepOf(job));
  const reply = await engine.compensate({ target, compensation });
  return reply === "recorded" ? undefined : reply;
}
