import { describe, expect, it } from "vitest";
import type { JobCount } from "../../src/ports/query.ts";
import { ChainwrightError } from "../../src/model/error.ts";
import { createRig } from "../rig.ts";

const running: readonly JobCount[] = [{ typeName: "a", status: "running", count: 1, oldestReadyMs: undefined }];

/** A rig whose store counts what a test says: the last reply again and again. */
function rigWith(...replies: readonly (readonly JobCount[] | Error)[]) {
  let looks = 0;
  const rig = createRig({
    between: () => ({
      count: async () => {
        const reply = replies[Math.min(looks, replies.length - 1)] ?? [];
        looks += 1;
        if (reply instanceof Error) throw reply;
        return reply;
      },
    }),
  });
  return { ...rig, looks: () => looks };
}

describe("awaiting idle types", () => {
  it("looks again after it saw no attempt, because a claim that began before a pause may commit after it", async () => {
    const { client, clock, looks } = rigWith([], running, [], []);
    const idle = client.awaitIdle({ typeNames: ["a"] });
    await clock.advance(10_000);
    await idle;
    expect(looks()).toBe(4);
    expect(clock.timers).toBe(0);
  });

  it("continues while the store is away, and rejects with other errors", async () => {
    const away = new ChainwrightError("store-unavailable", "away");
    const { client, clock } = rigWith(away, away, []);
    const idle = client.awaitIdle({ typeNames: ["a"] });
    await clock.advance(10_000);
    await idle;
    const other = rigWith(new ChainwrightError("not-migrated", "no tables"));
    await expect(other.client.awaitIdle({ typeNames: ["a"] })).rejects.toMatchObject({ code: "not-migrated" });
    expect(other.clock.timers).toBe(0);
  });

  it("looks less often the longer it waits, and leaves no timer behind when its time is over", async () => {
    const { client, clock, looks } = rigWith(running);
    const late = client.awaitIdle({ typeNames: ["a"], timeoutMs: 60_000 }).catch((error: unknown) => error);
    await clock.advance(60_000);
    expect(await late).toMatchObject({
      code: "await-timeout",
      message: expect.stringContaining('"a" has 1 running') as string,
      details: { left: [{ typeName: "a", running: 1, ready: 0 }] },
    });
    expect(looks()).toBeLessThan(70);
    expect(clock.timers).toBe(0);
  });
});
