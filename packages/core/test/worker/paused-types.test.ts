import { describe, expect, it } from "vitest";
import type { PausedType } from "../../src/ports/pause.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { createPausedTypes } from "../../src/worker/paused-types.ts";

function paused(typeName: string, endsInMs?: number): PausedType {
  return { typeName, reason: undefined, by: undefined, pausedAt: 0, until: endsInMs, endsInMs };
}

function setUp() {
  const clock = createVirtualClock();
  const calls: string[] = [];
  const types = ["a", "b", "c"].map((typeName) => ({ typeName, leaseMs: 1_000 }));
  const pausedTypes = createPausedTypes({
    clock,
    types,
    onPaused: () => void calls.push("paused"),
    onResumed: () => void calls.push("resumed"),
  });
  return { clock, calls, pausedTypes, claimed: () => pausedTypes.claimed.map(({ typeName }) => typeName) };
}

describe("what a worker knows about pauses", () => {
  it("is what the store replied last, for its own types", () => {
    const { calls, pausedTypes, claimed } = setUp();
    pausedTypes.ask()([paused("b"), paused("other")]);
    expect(claimed()).toEqual(["a", "c"]);
    expect([pausedTypes.has("b"), pausedTypes.has("a"), pausedTypes.has("other")]).toEqual([true, false, false]);
    pausedTypes.ask()([paused("a"), paused("b")]);
    pausedTypes.ask()([paused("a"), paused("b")]);
    expect(claimed()).toEqual(["c"]);
    pausedTypes.ask()([paused("b")]);
    expect(claimed()).toEqual(["a", "c"]);
    expect(calls).toEqual(["paused", "paused", "resumed"]);
  });

  it("does not change with the reply to a question that was asked before a resume", () => {
    const { calls, pausedTypes, claimed } = setUp();
    const note = pausedTypes.ask();
    pausedTypes.resume("b");
    note([paused("a"), paused("b")]);
    expect(claimed()).toEqual(["b", "c"]);
    const late = pausedTypes.ask();
    pausedTypes.forget();
    expect(claimed()).toEqual(["a", "b", "c"]);
    late([paused("a"), paused("b")]);
    expect(claimed()).toEqual(["a", "b", "c"]);
    expect(calls).toEqual(["paused"]);
  });

  it("ends with each pause that has a time, counted from the question", async () => {
    const { clock, calls, pausedTypes, claimed } = setUp();
    const note = pausedTypes.ask();
    await clock.advance(10);
    note([paused("a", 100), paused("b", 200), paused("c")]);
    expect(claimed()).toEqual([]);
    await clock.advance(90);
    expect(claimed()).toEqual(["a"]);
    await clock.advance(100);
    expect(claimed()).toEqual(["a", "b"]);
    expect(calls).toEqual(["paused", "resumed", "resumed"]);
    expect(clock.timers).toBe(0);
  });

  it("leaves no timer behind when the worker stops, although a reply comes later", async () => {
    const { clock, calls, pausedTypes } = setUp();
    const note = pausedTypes.ask();
    pausedTypes.ask()([paused("a", 100)]);
    pausedTypes.stop();
    note([paused("a", 100)]);
    expect(clock.timers).toBe(0);
    expect(calls).toEqual(["paused"]);
  });
});
