import type { StoreFault } from "chainwright/adapter";
import { equal } from "../check.ts";
import { job, newId } from "./build.ts";
import { findAndMend, healthy, mend } from "./examining.ts";
import { rulesWith } from "./group.ts";
import { chains, idsOf } from "./listing.ts";

const staleTag = (chainId: string): StoreFault => ({ kind: "stale-tag", id: '["tenant","acme"]', chainId });

export const doctorTagCases = rulesWith("doctor", "faults", {
  "a tag that leads to a chain which does not have it is found, and deleted": async (fixture) => {
    await healthy(fixture);
    const tags = { "a.b": "1", '"': "\\", é: "😀" };
    const chain = await fixture.startOne(job("a", { tags }));
    await fixture.planting().addTag("a.b", "2", chain.id);
    await findAndMend(fixture, "stale-tag", { chainId: chain.id, typeName: "a" });
    equal("its own tags stay", idsOf(await chains(fixture, { tags })), [chain.id]);
  },

  "a tag of a chain that does not exist is found, and deleted": async (fixture) => {
    const gone = newId();
    await fixture.planting().addTag("tenant", "acme", gone);
    await findAndMend(fixture, "stale-tag", { chainId: gone });
    const chain = await fixture.startOne(job("a", { id: gone, tags: { tenant: "acme" } }));
    equal("a tag that a chain has is left alone", await mend(fixture, [staleTag(chain.id)]), ["gone"]);
    equal("it stays", idsOf(await chains(fixture, { tags: { tenant: "acme" } })), [gone]);
  },
});
