import { equal } from "../check.ts";
import { job } from "./build.ts";
import { rules } from "./group.ts";
import { pause, resume } from "./pausing.ts";

export const pauseClaimNameCases = rules("pause", {
  "jobs of a paused type are claimed in every version and pool, or in none": async (fixture) => {
    await fixture.start([
      job("a", { version: 2 }),
      job("a", { pool: "gpu" }),
      job("a", { version: 3, pool: "gpu" }),
      job("b"),
    ]);
    await pause(fixture, "a");
    const types = [
      { typeName: "a", version: 2 },
      { typeName: "a", pool: "gpu" },
      { typeName: "b" },
      { typeName: "a", version: 3, pool: "gpu" },
    ].map((type) => ({ ...type, leaseMs: 1_000 }));
    const look = () =>
      fixture.store.exchange({ outcomes: [], claim: { workerId: "w", types, limit: 10 } }, fixture.options());
    equal(
      "the other type",
      (await look()).claimed.map(({ typeName }) => typeName),
      ["b"],
    );
    await resume(fixture, "a");
    equal("all", (await look()).claimed.length, 3);
  },
});
