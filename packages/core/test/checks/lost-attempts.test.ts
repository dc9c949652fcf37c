import { describe, expect, it } from "vitest";
import { lostAttempts } from "../../src/checks/lost-attempts.ts";
import type { JobRecord } from "../../src/model/record.ts";

type Given = Partial<Pick<JobRecord, "status" | "attempt" | "endedAt" | "lapsed">>;

function lost(given: Given, ...reported: readonly (readonly [attempt: number, uncounted?: true])[]): readonly number[] {
  const errors = reported.map(([attempt, uncounted]) => ({ attempt, at: 0, name: "E", message: "", uncounted }));
  const job = { status: "ready", attempt: 0, endedAt: undefined, lapsed: undefined, ...given } as const;
  return lostAttempts({ ...job, errors: JSON.stringify(errors) }).map(({ attempt }) => attempt);
}

describe("lost attempts", () => {
  it("are those without an error: also the last one of a job that waits, but not the one that runs or that ended it", () => {
    expect(lost({ attempt: 0 })).toEqual([]);
    expect(lost({ attempt: 1 })).toEqual([1]);
    expect(lost({ attempt: 1, status: "running" })).toEqual([]);
    expect(lost({ attempt: 3, status: "running" }, [2])).toEqual([1]);
    expect(lost({ attempt: 3 }, [2])).toEqual([1, 3]);
    expect(lost({ attempt: 3, status: "completed", endedAt: 1 }, [1])).toEqual([2]);
    expect(lost({ attempt: 3, status: "failed", endedAt: 1 }, [1], [2], [3])).toEqual([]);
  });

  it("do not include attempts that failed and did not count", () => {
    expect(lost({ attempt: 1, status: "scheduled" }, [1], [2, true])).toEqual([]);
    expect(lost({ attempt: 2, status: "running" }, [1, true])).toEqual([1]);
  });

  it("are those since the last retry of the chain", () => {
    expect(lost({ attempt: 2, status: "running" }, [1], [2], [3])).toEqual([1]);
    expect(lost({ attempt: 3, status: "running" }, [1], [2], [3], [2])).toEqual([1]);
    expect(lost({ attempt: 0 }, [1], [2], [3])).toEqual([]);
  });

  it("are the last ten at most, and none whose error may have been dropped", () => {
    expect(lost({ attempt: 1_000_000 })).toHaveLength(10);
    const tenErrors = Array.from({ length: 10 }, (_, index) => [index + 6] as const);
    expect(lost({ attempt: 16, status: "running" }, ...tenErrors)).toEqual([]);
    expect(lost({ attempt: 17, status: "running" }, ...tenErrors)).toEqual([16]);
  });

  it("name the lease of the last one, while the store knows it", () => {
    const lapsed = { leasedBy: "w-1", startedAt: 1, leasedUntil: 2 };
    const job = { status: "ready", attempt: 2, errors: undefined, endedAt: undefined, lapsed } as const;
    expect(lostAttempts(job)).toEqual([
      { attempt: 1, lease: undefined },
      { attempt: 2, lease: lapsed },
    ]);
  });
});
