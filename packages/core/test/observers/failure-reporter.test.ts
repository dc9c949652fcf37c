import { describe, expect, it } from "vitest";
import type { ChainwrightEvent } from "../../src/model/event.ts";
import { createFailureReporter } from "../../src/observers/failure-reporter.ts";

interface Told {
  readonly texts: string[];
  readonly reporter: ReturnType<typeof createFailureReporter>;
  /** Lets a minute pass; returns whether a timer was set. */
  minute(): boolean;
}

function tell(): Told {
  const texts: string[] = [];
  let waiting: (() => void) | undefined;
  const reporter = createFailureReporter({
    write: (text) => texts.push(text),
    setTimer(callback) {
      waiting = callback;
      return { cancel: () => (waiting = undefined) };
    },
  });
  const minute = (): boolean => {
    const callback = waiting;
    waiting = undefined;
    callback?.();
    return callback !== undefined;
  };
  return { texts, reporter, minute };
}

function failed(attempt: number, { name = "TypeError", typeName = "mail.send" } = {}): ChainwrightEvent {
  const error = {
    name,
    message: `number ${attempt}`,
    stack: `${name}: x\n    at send (/app/mail.ts:3:9)`,
    cause: { name: "Error", message: "connect ECONNREFUSED" },
  };
  const job = { jobId: "j", chainId: "c", typeName, workerId: "w", attempt };
  return { type: "job-retried", ...job, reason: "error", error, dueInMs: 1_000 };
}

describe("the report of failures", () => {
  it("has a sentence, the error, the frames of the application and the cause, and says how to change it once", () => {
    const { texts, reporter } = tell();
    reporter.observe(failed(1));
    reporter.observe(failed(2, { name: "RangeError" }));
    expect(texts[0]?.split("\n")).toEqual([
      '[chainwright] Attempt 1 of job j ("mail.send") failed; the job runs again in 1.0 s.',
      "TypeError: number 1",
      "    at send (/app/mail.ts:3:9)",
      "  Cause: Error: connect ECONNREFUSED",
      expect.stringContaining("observers: [] reports nothing"),
    ]);
    expect(texts[1]).not.toContain("observers");
  });

  it("writes one text of 10,000 failures of a kind, and how many more there were", () => {
    const { texts, reporter, minute } = tell();
    for (let attempt = 1; attempt <= 10_000; attempt += 1) reporter.observe(failed(attempt));
    expect(texts).toHaveLength(1);
    minute();
    expect(texts).toHaveLength(2);
    expect(texts[1]).toMatch(/^\[chainwright\] 9999 more like this, the last one: Attempt 10000 of .*number 10000$/);
  });

  it("writes the next failure of a kind after a minute without one", () => {
    const { texts, reporter, minute } = tell();
    reporter.observe(failed(1));
    expect([minute(), minute()]).toEqual([true, false]);
    reporter.observe(failed(2));
    expect(texts).toHaveLength(2);
    expect(texts[1]).toContain("Attempt 2");
  });

  it("writes failures of other job types and of other errors apart", () => {
    const { texts, reporter } = tell();
    reporter.observe(failed(1));
    reporter.observe(failed(1, { typeName: "order.place" }));
    reporter.observe(failed(1, { name: "RangeError" }));
    expect(texts).toHaveLength(3);
  });

  it("writes different mistakes of one handler apart", () => {
    const { texts, reporter } = tell();
    const attempt = { jobId: "j", chainId: "c", typeName: "t", workerId: "w", attempt: 1 };
    for (const message of ["complete twice", "a value after complete", "complete twice"])
      reporter.observe({ type: "handler-mistake", ...attempt, error: { name: "handler-result", message } });
    expect(texts).toHaveLength(2);
  });

  it("writes at most 101 texts a minute, however many kinds of failures there are", () => {
    const { texts, reporter } = tell();
    for (let kind = 0; kind < 10_000; kind += 1) reporter.observe(failed(1, { name: `Error${kind}` }));
    expect(texts).toHaveLength(101);
    reporter.close();
    expect(texts).toHaveLength(102);
    expect(texts.at(-1)).toContain("9899 more");
  });

  it("writes what was left out when it is closed, and sets no further timer", () => {
    const { texts, reporter, minute } = tell();
    reporter.observe(failed(1));
    reporter.observe(failed(2));
    reporter.close();
    expect(texts.at(-1)).toContain("1 more like this");
    expect(minute()).toBe(false);
  });

  it("is bounded in size", () => {
    const { texts, reporter } = tell();
    const error = { name: "Error", message: "m".repeat(1_000_000) };
    reporter.observe({ type: "store-lost", workerId: "w", error });
    expect(texts[0]?.length).toBeLessThan(5_000);
  });

  it("contains no control characters of a message, which a terminal would obey", () => {
    const { texts, reporter } = tell();
    const error = { name: "Error", message: "a\u001b[2J\u0007b\r\nc" };
    reporter.observe({ type: "store-lost", workerId: "w", error });
    expect(texts[0]).toContain("a\uFFFD[2J\uFFFDb\uFFFD\nc");
  });

  it("says where retry.when decided", () => {
    const { texts, reporter } = tell();
    const attempt = { jobId: "j", chainId: "c", typeName: "t", workerId: "w", attempt: 1 };
    const error = { name: "Error", message: "the server responded 410" };
    reporter.observe({ type: "job-retried", ...attempt, reason: "error", error, dueInMs: 50, decidedBy: "when" });
    reporter.observe({ type: "job-failed", ...attempt, error, decidedBy: "when" });
    expect(texts[0]).toContain("the job runs again in 50 ms, as retry.when decided.");
    expect(texts[1]).toContain("have failed after attempt 1, as retry.when decided.");
  });

  it("says nothing about events that are no failures", () => {
    const { texts, reporter } = tell();
    const attempt = { jobId: "j", chainId: "c", typeName: "t", workerId: "w", attempt: 1 };
    reporter.observe({ type: "job-retried", ...attempt, reason: "rescheduled", error: undefined, dueInMs: 1 });
    reporter.observe({ type: "lease-lost", ...attempt, reason: "cancelled" });
    reporter.observe({ type: "job-completed", ...attempt });
    reporter.observe({ type: "worker-started", workerId: "w", name: "w" });
    expect(texts).toEqual([]);
  });

  it("covers the store, notifications, upkeep, pools and held-up outcomes", () => {
    const error = { name: "not-migrated", message: "call migrate()" };
    const attempt = { jobId: "j", chainId: "c", typeName: "t", workerId: "w", attempt: 1 };
    const events: ChainwrightEvent[] = [
      { type: "store-lost", workerId: "w", error },
      { type: "store-read-only", workerId: "w", error },
      { type: "store-locked", workerId: "w", error },
      { type: "store-restored", workerId: "w" },
      { type: "notifications-lost", direction: "listening", forGood: true, error },
      { type: "notifications-restored", direction: "publishing" },
      { type: "upkeep-failed", workerId: "w", chore: "heartbeat", error },
      { type: "upkeep-restored", workerId: "w", chore: "heartbeat" },
      { type: "pool-too-small", workerId: "w", connections: 1, concurrency: 10, leaseMs: 30_000 },
      { type: "job-unannounced", workerId: "w", typeName: "t", waitedMs: 26_000, pollsOftenForMs: 600_000 },
      { type: "outcome-held-up", ...attempt, waitedMs: 3_000, holders: [] },
      { type: "lease-lost", ...attempt, reason: "lease-lost" },
      { type: "job-failed", jobId: "j", chainId: "c", typeName: "t", error: undefined },
    ];
    const { texts, reporter } = tell();
    for (const event of events) reporter.observe(event);
    expect(texts).toHaveLength(events.length);
    expect(texts[0]).toContain("not-migrated: call migrate()");
  });
});
