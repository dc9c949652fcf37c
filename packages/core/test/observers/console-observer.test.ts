import { describe, expect, it } from "vitest";
import type { ChainwrightEvent } from "../../src/model/event.ts";
import { consoleObserver } from "../../src/observers/console-observer.ts";

const claimed: ChainwrightEvent = {
  type: "job-claimed",
  jobId: "job",
  chainId: "chain",
  typeName: "order.place",
  workerId: "worker",
  attempt: 2,
  waitedMs: 7,
};
const failed: ChainwrightEvent = {
  type: "job-failed",
  jobId: "job",
  chainId: "chain",
  typeName: "order.place",
  error: { name: "TypeError", message: "line one\nline two" },
};
const exchanged: ChainwrightEvent = { type: "exchanged", workerId: "worker", settled: 1, claimed: 1, durationMs: 1 };
const renewed: ChainwrightEvent = { type: "leases-renewed", workerId: "worker", count: 3 };

function linesOf(options: Parameters<typeof consoleObserver>[0], events: readonly ChainwrightEvent[]): string[] {
  const lines: string[] = [];
  const observer = consoleObserver({ ...options, write: (line) => lines.push(line) });
  for (const event of events) observer(event);
  return lines;
}

describe("the console observer", () => {
  it("writes one JSON object a line: the event and when it was recorded", () => {
    const [first = "", second = ""] = linesOf({ format: "json" }, [claimed, failed]);
    const { at, ...event } = JSON.parse(first) as { readonly at: string };
    expect(event).toEqual(claimed);
    expect(new Date(at).toISOString()).toBe(at);
    expect(second).not.toContain("\n");
    expect(JSON.parse(second)).toMatchObject(failed);
  });

  it("writes a line a person can read: the time, what happened, the facts", () => {
    const [first = "", second = ""] = linesOf({ format: "text" }, [claimed, failed]);
    expect(first).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} job-claimed {8}jobId=job chainId=chain typeName=order\.place workerId=worker attempt=2 waitedMs=7$/,
    );
    expect(second).toContain('error={"name":"TypeError","message":"line one\\nline two"}');
    expect(second).not.toContain("\n");
  });

  it("leaves out the events of every exchange and renewal by default", () => {
    expect(linesOf({ format: "json" }, [exchanged, renewed, claimed])).toHaveLength(1);
    expect(linesOf({ format: "json", only: ["exchanged"] }, [exchanged, renewed, claimed])).toHaveLength(1);
    expect(linesOf({ format: "json", only: ["exchanged"] }, [exchanged])[0]).toContain('"settled":1');
  });

  it("writes JSON if standard output is not a terminal", () => {
    const isTTY = Object.getOwnPropertyDescriptor(process.stdout, "isTTY");
    try {
      Object.defineProperty(process.stdout, "isTTY", { value: false, configurable: true });
      expect(linesOf({}, [claimed])[0]).toMatch(/^\{/);
      Object.defineProperty(process.stdout, "isTTY", { value: true, configurable: true });
      expect(linesOf({}, [claimed])[0]).toMatch(/^\d\d:/);
    } finally {
      if (isTTY === undefined) Reflect.deleteProperty(process.stdout, "isTTY");
      else Object.defineProperty(process.stdout, "isTTY", isTTY);
    }
  });
});
