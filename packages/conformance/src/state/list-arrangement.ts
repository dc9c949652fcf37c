import { blockedBy, errorsText, failed, job } from "./build.ts";
import type { StateFixture } from "./fixture.ts";
import { byId, idsOf } from "./listing.ts";

/** One chain of each status, with jobs of each status among them. */
export async function arrange(fixture: StateFixture) {
  const ready = await fixture.startOne(job("ready"));
  const scheduled = await fixture.startOne(job("scheduled", { schedule: { afterMs: 1_000_000 } }));
  const running = await fixture.startOne(job("running"));
  await fixture.claimOne("running", { leaseMs: 1_000_000 });
  const blocked = await fixture.startOne(job("blocked", { blockers: [blockedBy(ready.id)] }));
  const done = await fixture.completedChain(job("completed"), "1");
  const broken = await fixture.startOne(job("failed"));
  await fixture.settled(failed({ chainId: broken.id, typeName: "failed" }, errorsText("the Disk is full")));
  const gone = await fixture.startOne(job("cancelled"));
  await fixture.store.cancel([{ chainId: gone.id, reason: undefined }], fixture.options());
  const all = [ready, scheduled, running, blocked, done, broken, gone];
  return { ready, scheduled, running, blocked, done, broken, gone, ids: byId(idsOf(all)) };
}
