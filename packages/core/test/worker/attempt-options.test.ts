import { describe, expect, it } from "vitest";
import { createErasedProcessors } from "../../src/worker/erased-processors.ts";
import { mergeProcessors } from "../../src/worker/processor.ts";
import type { AttemptOptions } from "../../src/worker/attempt-options.ts";

const handler = (): number => 1;

function policyOf({ own, group, worker }: Readonly<Record<"own" | "group" | "worker", AttemptOptions>>) {
  const processors = { a: { handler, ...own } };
  const created = createErasedProcessors({ client: {}, jobTypes: {}, processors, ...group });
  const { retry, timeoutMs, leaseMs } = mergeProcessors([created], worker).get("a") ?? {};
  return { retry, timeoutMs, leaseMs };
}

const defaults = {
  retry: { maxAttempts: 25, backoff: { initialMs: 1_000, multiplier: 2, maxMs: 3_600_000, jitter: 0.2 } },
  timeoutMs: 3_600_000,
  leaseMs: undefined,
};

describe("the options of a processor", () => {
  it("are the library's if none is given", () => {
    expect(policyOf({ own: {}, group: {}, worker: {} })).toEqual(defaults);
  });

  it("are its own before those of createProcessors, and these before the worker's, value by value", () => {
    const policy = policyOf({
      own: { retry: { backoff: { jitter: 0, maxMs: undefined } }, timeoutMs: 1 },
      group: { retry: { maxAttempts: 5, backoff: { jitter: 1, maxMs: 7 } }, timeoutMs: 2, leaseMs: 200 },
      worker: { retry: { maxAttempts: 9, backoff: { initialMs: 3, maxMs: 9 } }, timeoutMs: Infinity },
    });
    const backoff = { initialMs: 3, multiplier: 2, maxMs: 7, jitter: 0 };
    expect(policy).toEqual({ retry: { maxAttempts: 5, backoff }, timeoutMs: 1, leaseMs: 200 });
  });

  it("include one retry.when, which is the nearest and is asked alone", () => {
    const own = () => "fail" as const;
    const group = () => "retry" as const;
    const worker = () => ({ afterMs: 1 });
    const [ofGroup, ofWorker] = [{ retry: { when: group } }, { retry: { when: worker } }];
    expect(policyOf({ own: { retry: { when: own } }, group: ofGroup, worker: ofWorker }).retry?.when).toBe(own);
    expect(policyOf({ own: {}, group: ofGroup, worker: ofWorker }).retry?.when).toBe(group);
    const further = { own: { retry: { when: undefined } }, group: { retry: { maxAttempts: 3 } }, worker: ofWorker };
    expect(policyOf(further).retry).toMatchObject({ when: worker, maxAttempts: 3 });
  });

  it("are checked where they are given", () => {
    const create = (group: object) => () =>
      createErasedProcessors({ client: {}, jobTypes: {}, processors: { a: handler }, ...group });
    expect(create({ retry: { maxAttempts: 0 } })).toThrow("retry.maxAttempts of createProcessors");
    expect(create({ retry: { attempts: 1 } })).toThrow('"attempts"');
    expect(create({ retry: { when: "fail" } })).toThrow(
      'retry.when of createProcessors must be a function; got "fail".',
    );
    expect(create({ timeoutMs: 0 })).toThrow("timeoutMs of createProcessors");
    expect(create({ leaseMs: 1 })).toThrow("leaseMs of createProcessors");
    expect(create({ processors: { a: { handler, timeoutMs: 0 } } })).toThrow('timeoutMs of the processor of "a"');
  });
});
