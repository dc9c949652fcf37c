import { testCases } from "@chainwright/backends/vitest";
import { createInProcessStateAdapter } from "chainwright";
import { describe, expect, it } from "vitest";
import { behaviourConformance, notifyConformance, stateConformance, type StateArea } from "../src/index.ts";
import { stateAreas } from "../src/state/area-names.ts";
import { limitedTo } from "./needed-area.ts";

const without = {
  userTable: "it keeps no tables",
  unmigrated: "there is nothing to migrate",
  rowLocks: "it runs one transaction at a time",
  faults: "nothing bypasses it",
  awaited: "no other process shares it",
};

function casesOf(areas: readonly StateArea[], last: StateArea) {
  const createAdapter = async () => ({
    adapter: limitedTo(createInProcessStateAdapter(), last),
    close: async () => {},
  });
  return stateConformance({ createAdapter, areas, without });
}

const unopened = { createAdapter: () => Promise.reject(new Error("not opened")) };

describe("an adapter that implements one area and those before it passes the cases of", () => {
  for (const area of stateAreas) {
    describe(area, () => {
      testCases(casesOf([area], area));
    });
  }
});

describe("areas", () => {
  it("contain every case once, in the order in which an author implements them", () => {
    const all = stateConformance(unopened);
    expect(all.map(({ area }) => stateAreas.findIndex((each) => each === area))).toEqual(
      all.map(({ area }) => stateAreas.findIndex((each) => each === area)).toSorted((left, right) => left - right),
    );
    const apart = stateAreas.flatMap((area) => stateConformance({ ...unopened, areas: [area] }));
    expect(apart.map(({ name }) => name)).toEqual(all.map(({ name }) => name));
    for (const area of stateAreas)
      expect(
        all.some((each) => each.area === area),
        area,
      ).toBe(true);
  });

  it("are refused with the list of areas if one is unknown", () => {
    const areas = ["start and reads", "fencing"] as unknown as readonly StateArea[];
    expect(() => stateConformance({ ...unopened, areas })).toThrow(
      /^areas must be some of "start and reads", "claim and settle", .*"row locks"; got "fencing"\.$/,
    );
    expect(() => stateConformance({ ...unopened, areas: [] })).toThrow(/; got an empty list\.$/);
  });

  it("of clients, workers and notify adapters are the subjects of the cases", () => {
    const createState = unopened.createAdapter;
    const chains = behaviourConformance({ createState, areas: ["a chain"] });
    expect(chains.length).toBeGreaterThan(5);
    expect(chains.every(({ name }) => name.startsWith("a chain: "))).toBe(true);
    expect(() => behaviourConformance({ createState, areas: ["chains"] })).toThrow(/areas must be some of "a chain", /);
    expect(notifyConformance({ ...unopened, areas: ["delivery"] }).every(({ area }) => area === "delivery")).toBe(true);
  });
});
