import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createBurst } from "../src/http/burst.ts";

describe("a burst of requests", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("has all requests of a turn of the event loop", async () => {
    const endOfBurst = createBurst();
    const first = endOfBurst();
    expect(endOfBurst()).toBe(first);
    await first;
    expect(endOfBurst()).not.toBe(first);
  });

  it("waits for as many requests as the burst before had", async () => {
    vi.spyOn(performance, "now").mockReturnValue(0);
    const endOfBurst = createBurst();
    await Promise.all([endOfBurst(), endOfBurst()]);
    const first = endOfBurst();
    expect(await isOverIn(3, first)).toBe(false);
    const second = endOfBurst();
    expect(second).toBe(first);
    expect(await isOverIn(2, second)).toBe(true);
  });

  it("waits a millisecond at most, and expects no more the next time", async () => {
    const now = vi.spyOn(performance, "now").mockReturnValue(0);
    const endOfBurst = createBurst();
    await Promise.all([endOfBurst(), endOfBurst(), endOfBurst()]);
    const first = endOfBurst();
    expect(await isOverIn(3, first)).toBe(false);
    now.mockReturnValue(1);
    expect(await isOverIn(2, first)).toBe(true);
    expect(await isOverIn(2, endOfBurst())).toBe(true);
  });
});

async function isOverIn(turns: number, burst: Promise<void>): Promise<boolean> {
  let isOver = false;
  void burst.then(() => {
    isOver = true;
  });
  for (let i = 0; i < turns; i += 1) await turn();
  return isOver;
}
