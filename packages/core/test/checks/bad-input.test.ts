import { describe, expect, it } from "vitest";
import { backoffMs } from "../../src/model/backoff.ts";
import { FatalError } from "../../src/model/error.ts";
import { checkDuration, checkMoment, checkSchedule, show } from "../../src/checks/check-options.ts";
import { describeError } from "../../src/checks/describe-error.ts";
import { serialize } from "../../src/checks/json.ts";
import { createProcessor } from "../../src/worker/processor.ts";
import { createRig } from "../rig.ts";

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const single = [
  "startChain",
  "triggerJob",
  "cancelChain",
  "retryChain",
  "deleteChain",
  "awaitChain",
  "listChainJobs",
  "listBlockedJobs",
] as const;
const refused = { code: "invalid-input" };

describe("a call", () => {
  it.each([null, 1, "tx", true])("refuses %o as a transaction, and starts nothing outside one", async (tx) => {
    const { client } = createRig();
    await expect(client.startChain({ typeName: "a", input: 1, tx })).rejects.toMatchObject(refused);
    await expect(client.listChains({ tx })).rejects.toMatchObject(refused);
    expect((await client.listChains()).items).toEqual([]);
  });

  it.each([{ status: "done" }, { typeName: "\u0000" }, { ids: ["x"] }, { limit: 0 }, { order: "up" }, { page: 1 }])(
    "refuses a list narrowed by %o",
    async (options) => {
      const { client } = createRig();
      await expect(client.listChains(options as never)).rejects.toMatchObject(refused);
      await expect(client.listJobs(options as never)).rejects.toMatchObject(refused);
    },
  );

  it("refuses a start that contains itself among its blockers", async () => {
    const { client } = createRig();
    const blockers: object[] = [];
    const start = { typeName: "a", input: 1, blockers };
    blockers.push(start);
    await expect(client.startChain(start as never)).rejects.toMatchObject(refused);
  });

  it.each([undefined, null, 1])("refuses %o in place of an options object", async (options) => {
    const { client } = createRig();
    for (const name of single) await expect(client[name](options as never)).rejects.toMatchObject(refused);
    await expect(client.getChain(options as never)).rejects.toMatchObject(refused);
    await expect(client.completeChain(options as never)).rejects.toMatchObject(refused);
    await expect(client.startChains(options as never)).rejects.toMatchObject(refused);
    await expect(client.startChains({ items: [options as never] })).rejects.toMatchObject(refused);
  });

  const poisons: Readonly<Record<string, unknown>> = {
    "a revoked proxy": revoked(),
    "a symbol": Symbol("s"),
    "an object that is no text": { toString: 1 },
    "an object without a prototype": Object.create(null),
  };

  it.each(Object.keys(poisons))("refuses %s in any option, with an error of its own", async (name) => {
    const poison = poisons[name];
    const { client } = createRig();
    const start = { typeName: "a", input: 1 };
    for (const bad of [
      { priority: poison },
      { id: poison },
      { onBlockerFailure: poison },
      { deduplication: { key: poison } },
      { deduplication: { key: "k", scope: poison } },
      { schedule: { at: poison } },
    ]) {
      await expect(client.startChain({ ...start, ...bad } as never)).rejects.toMatchObject({
        name: "ChainwrightError",
      });
    }
    await expect(client.getChain({ id: poison } as never)).rejects.toMatchObject(refused);
  });
});

describe("durations and moments", () => {
  it("are integers that every store can add to its time", () => {
    expect(checkDuration(0.2, "d")).toBe(1);
    expect(checkSchedule({ afterMs: 1.5 }, "s")).toEqual({ afterMs: 2 });
    expect(checkMoment(1.4, "m")).toBe(1);
  });

  it.each([Number.NaN, Infinity, Number.MAX_VALUE, 8.64e15, -1, "5", null])("are not %o", (value) => {
    expect(() => checkDuration(value as number, "d")).toThrow("milliseconds");
  });
});

describe("a backoff", () => {
  it("is a finite number after any number of failures", () => {
    const backoff = { initialMs: 0, multiplier: 2, maxMs: 1_000, jitter: 0.5 };
    expect(backoffMs(backoff, 1_000_000, 0.9)).toBe(0);
    expect(backoffMs({ ...backoff, initialMs: 1 }, 1_000_000, 0.5)).toBe(1_000);
  });

  it.each([Infinity, Number.NaN, 0.5, "2"])("takes no multiplier %o", (multiplier) => {
    const definition = { handler: () => 1, retry: { backoff: { multiplier: multiplier as number } } };
    expect(() => createProcessor("a", definition, { middleware: [], options: [] })).toThrow("multiplier");
  });
});

describe("a payload", () => {
  const poisons: Readonly<Record<string, unknown>> = {
    "an array with a toJSON method": Object.assign([1], { toJSON: () => 2 }),
    "an object that has a toJSON method only when it is written": (() => {
      let looks = 0;
      return {
        get toJSON() {
          looks += 1;
          return looks > 2 ? () => undefined : undefined;
        },
      };
    })(),
    "a revoked proxy": revoked(),
    "a getter that throws": {
      get a() {
        throw new Error("no");
      },
    },
  };

  it.each(Object.keys(poisons))("is refused when it is %s", (name) => {
    expect(() => serialize(poisons[name], "it", 1_000)).toThrow(
      expect.objectContaining({ code: "payload-not-serializable" }),
    );
  });
});

describe("the text of an error", () => {
  it("is cut between code points", () => {
    const { message } = describeError(new Error(`${"x".repeat(3_999)}😀 and more`));
    expect(message).toBe(`${"x".repeat(3_999)}…`);
  });

  it("exists for everything that can be thrown", () => {
    const hostile = new FatalError("x");
    Object.defineProperty(hostile, "message", {
      get: () => {
        throw new Error("no");
      },
    });
    for (const thrown of [revoked(), Object.create(null), Symbol("s"), undefined, hostile, "\u0000\uD800"]) {
      const text = JSON.stringify(describeError(thrown));
      expect(text).not.toContain("\\u0000");
      expect(text.isWellFormed()).toBe(true);
    }
  });
});

describe("a value in an error's text", () => {
  it("is shown without reading its properties", () => {
    expect([revoked(), 1n, Symbol("s"), "x".repeat(1_000), -0, () => 1].map(show)).toEqual([
      "an object",
      "1",
      "Symbol(s)",
      "a string of 1000 characters",
      "0",
      "a function",
    ]);
  });
});
