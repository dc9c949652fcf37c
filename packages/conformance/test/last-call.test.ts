import { createInProcessStateAdapter } from "chainwright";
import type { StateAdapter } from "chainwright/adapter";
import { describe, expect, it } from "vitest";
import { ConformanceFailure } from "../src/check.ts";
import { stateConformance } from "../src/index.ts";
import { show } from "../src/show.ts";

/** The failure of a case on an adapter with a fault. */
async function failureOf(name: string, broken: (real: StateAdapter) => Partial<StateAdapter>): Promise<Error> {
  const cases = stateConformance({
    createAdapter: async () => {
      const real: StateAdapter = createInProcessStateAdapter();
      return { adapter: { ...real, ...broken(real) }, close: async () => {} };
    },
  });
  const found = cases.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no case "${name}"`);
  return found.run().then(
    () => Promise.reject(new Error("the case must fail")),
    (error: unknown) =>
      error instanceof Error ? error : Promise.reject(new Error("the case must reject with an error")),
  );
}

describe("the failure of a case", () => {
  it("shows the last call with its request and its reply, after what was expected and what came", async () => {
    const failure = await failureOf("claim: takes only the types it asks for", (real) => ({
      exchange: async (request, options) => {
        const types = [{ typeName: "a", leaseMs: 1_000 }];
        return real.exchange({ ...request, claim: request.claim && { ...request.claim, types } }, options);
      },
    }));
    expect(failure).toBeInstanceOf(ConformanceFailure);
    const lines = failure.message.split("\n");
    expect(lines.slice(0, 4)).toEqual([
      "only b",
      '  expected: ["b"]',
      '  actual:   ["a"]',
      "  first difference: actual[0]",
    ]);
    expect(failure.message).toMatch(/\n {2}last call: exchange\(\{[^]*typeName: "b"/);
    expect(failure.message).toMatch(/\n {2}its reply: \{[^]*typeName: "a"/);
    expect(failure.stack).toContain("last call: exchange(");
  });

  it("shows the last write as well if the last call only read", async () => {
    const failure = await failureOf("start: gives a first job the id of its chain, step 1, attempt 0", (real) => ({
      getJobs: async (ids, options) => {
        const jobs = await real.getJobs(ids, options);
        return jobs.map((job) => job && { ...job, step: 0 });
      },
    }));
    expect(failure.message).toContain("first difference: actual.step");
    expect(failure.message).toMatch(/last write: start\(\[/);
    expect(failure.message).toMatch(/last call: getJobs\(\["[0-9a-f-]+"\], \{ now: \d+ \}\)\n {2}its reply: \[/);
  });

  it("keeps the stack of an error that the adapter threw, and says which call threw it", async () => {
    const failure = await failureOf("claim: takes only the types it asks for", () => ({
      exchange: async () => {
        throw new Error("exchange is not implemented");
      },
    }));
    expect(failure.message).toMatch(/^it threw Error: exchange is not implemented\n {2}last call: exchange\(/);
    expect(failure.message).toMatch(/its error: Error \{ message: "exchange is not implemented" \}$/);
    expect(failure.cause).toBeInstanceOf(Error);
    expect(failure.stack?.split("\n").find((line) => /^\s+at /.test(line))).toContain("last-call.test.ts");
  });

  it("prints undefined as undefined", () => {
    expect(show({ a: undefined, b: [undefined], "c d": null })).toBe('{ a: undefined, b: [undefined], "c d": null }');
  });

  it("breaks long values into lines and never grows beyond a screen", () => {
    const rows = Array.from({ length: 3 }, (_, index) => ({ id: `row-${index}`, text: "x".repeat(40) }));
    expect(show(rows).split("\n")).toHaveLength(5);
    const many = show(Array.from({ length: 10_000 }, (_, index) => ({ index })));
    expect(many.length).toBeLessThan(2_100);
    expect(many).toMatch(/\.\.\. \(\d+ characters\)$/);
  });
});
