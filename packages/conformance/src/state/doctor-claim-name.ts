import { equal, match, only } from "../check.ts";
import { job } from "./build.ts";
import { examine, mend } from "./examining.ts";
import { rulesWith } from "./group.ts";

const own = { version: 2, pool: "gpu" };

export const doctorClaimNameCases = rulesWith("doctor", "faults", {
  "an open job that is in no queue is put back in its version and pool": async (fixture) => {
    const chain = await fixture.startOne(job("a", own));
    await fixture.planting().loseOpenJob(chain.id);
    const fault = only("one fault", await examine(fixture));
    equal("its type", fault.typeName, "a");
    equal("repaired", await mend(fixture, [fault]), ["repaired"]);
    equal("not under its type", await fixture.claim(["a"]), []);
    match("claimed", await fixture.claimOne("a", own), { id: chain.id, ...own });
  },

  "the lease of a job with a version and a pool is reported under its type": async (fixture) => {
    const chain = await fixture.startOne(job("a", own));
    await fixture.claimOne("a", { ...own, leaseMs: 10_000_000 });
    fixture.advance(60_000);
    const fault = only("one fault", await examine(fixture));
    match("its type", fault, { kind: "lease-of-no-one", id: chain.id, typeName: "a" });
    equal("repaired", await mend(fixture, [fault]), ["repaired"]);
    match("claimed", await fixture.claimOne("a", own), { id: chain.id, ...own });
  },
});
