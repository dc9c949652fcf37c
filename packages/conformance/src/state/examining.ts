import type { DoctorCheck, FaultKind } from "chainwright";
import type { RepairOutcome, StoreFault } from "chainwright/adapter";
import { equal, match, only } from "../check.ts";
import { blockedBy, completed, failed, job } from "./build.ts";
import type { StateFixture } from "./fixture.ts";
import { countsAgree } from "./listing.ts";

const checks: readonly DoctorCheck[] = ["jobs", "leases", "blockers", "keys", "counts", "schema"];
const given = { heldBeforeMs: 60_000, timeMs: 30_000 };

/** Returns all faults, read in pages of this size. */
export async function examine(fixture: StateFixture, limit = 2): Promise<readonly StoreFault[]> {
  const faults: StoreFault[] = [];
  for (const check of checks) {
    let after: string | undefined;
    do {
      const reply = await fixture.store.inspect({ check, after, limit, ...given }, fixture.options());
      faults.push(...reply.faults);
      equal("no check is cut off", reply.isCut, false);
      after = reply.next;
    } while (after !== undefined);
  }
  return faults;
}

export function mend(fixture: StateFixture, faults: readonly StoreFault[]): Promise<readonly RepairOutcome[]> {
  return fixture.store.repair({ faults, limit: 2, timeMs: 30_000 }, fixture.options());
}

/** Finds exactly this fault and repairs it. Then no fault is left, and a second repair changes nothing. */
export async function findAndMend(
  fixture: StateFixture,
  kind: FaultKind,
  details: Partial<StoreFault> = {},
): Promise<void> {
  const fault = only(`one fault`, await examine(fixture));
  match("it", fault, { kind, ...details });
  equal("looking changes nothing", await examine(fixture), [fault]);
  equal("repaired", await mend(fixture, [fault]), ["repaired"]);
  equal("nothing is left", await examine(fixture), []);
  equal("the second repair finds nothing", await mend(fixture, [fault]), ["gone"]);
  await countsAgree(fixture);
}

/** Fills the store with states that are not faults. */
export async function healthy(fixture: StateFixture): Promise<void> {
  const [broken, done] = await fixture.start([job("h"), job("h")]);
  await fixture.settled(failed({ chainId: broken?.id ?? "", typeName: "h" }));
  await fixture.settled(completed({ chainId: done?.id ?? "", typeName: "h" }));
  const key = { key: "healthy", scope: "any", windowMs: undefined } as const;
  const keyed = await fixture.startOne(job("h", { deduplication: key }));
  await fixture.settled(completed({ chainId: keyed.id, typeName: "h" }));
  await fixture.start([
    job("h", { schedule: { afterMs: 1_000 } }),
    job("h", { blockers: [blockedBy(broken?.id ?? "")], onBlockerFailure: "wait" }),
    job("h", { blockers: [blockedBy(broken?.id ?? ""), blockedBy(done?.id ?? "")] }),
    job("h", { blockers: [{ start: job("h") }, blockedBy(done?.id ?? "")], schedule: { afterMs: 1_000 } }),
  ]);
}
