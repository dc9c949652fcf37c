import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { describeError } from "../../src/checks/describe-error.ts";
import { ChainwrightError } from "../../src/model/error.ts";
import { causeLines, errorText } from "../../src/model/error-text.ts";

const caused = (message: string, cause: unknown): Error => new Error(message, { cause });

describe("the description of an error", () => {
  it("contains its causes, each with its class, code and message", () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED ::1:1"), { code: "ECONNREFUSED" });
    const { cause, ...error } = describeError(new TypeError("fetch failed", { cause: refused }));
    expect(error).toMatchObject({ name: "TypeError", message: "fetch failed" });
    expect(cause).toMatchObject({ name: "Error", message: "connect ECONNREFUSED ::1:1", code: "ECONNREFUSED" });
  });

  it("contains the errors of an AggregateError, which may have no message of its own", () => {
    const attempts = ["::1", "127.0.0.1"].map((host) => new Error(`connect ECONNREFUSED ${host}:1`));
    const aggregate = Object.assign(new AggregateError(attempts), { code: "ECONNREFUSED" });
    const error = describeError(caused("Failed query: select 1", aggregate));
    expect(causeLines(error)).toEqual([
      "AggregateError [ECONNREFUSED]",
      "Error: connect ECONNREFUSED ::1:1",
      "Error: connect ECONNREFUSED 127.0.0.1:1",
    ]);
  });

  it("contains causes and errors that are no errors", () => {
    expect(causeLines(describeError(caused("a", { status: 503 })))).toEqual(["Error: { status: 503 }"]);
    expect(causeLines(describeError(new AggregateError(["no", 7], "all")))).toEqual(["Error: no", "Error: 7"]);
  });

  it("ignores a list of errors that is something else", () => {
    expect(describeError(Object.assign(new Error("a"), { errors: [{ path: "x" }] }))).not.toHaveProperty("errors");
  });

  it("follows causes 5 levels deep", () => {
    let error = new Error("deepest");
    for (let level = 0; level < 20; level += 1) error = caused(`level ${level}`, error);
    expect(causeLines(describeError(error))).toHaveLength(5);
  });

  it("describes 10 errors at most, and says how many more there are", () => {
    const many = (depth: number): Error =>
      depth === 0
        ? new Error("leaf")
        : new AggregateError(
            Array.from({ length: 9 }, () => many(depth - 1)),
            `at ${depth}`,
          );
    const lines = causeLines(describeError(many(3)));
    expect(lines.filter((line) => !line.endsWith("more errors are not shown"))).toHaveLength(9);
    expect(lines.at(-1)).toBe("Error: 8 more errors are not shown");
  });

  it("ends when causes lead back, when each cause makes the next one, and when reading one throws", () => {
    const round = new Error("round");
    const other = caused("other", round);
    round.cause = other;
    expect(causeLines(describeError(round))).toEqual(["Error: other"]);
    const endless = (): Error =>
      Object.defineProperty(new Error("again"), "cause", { get: endless, configurable: true });
    expect(causeLines(describeError(endless()))).toHaveLength(5);
    const trap = new Proxy(new Error("p"), {
      get: () => {
        throw new Error("trap");
      },
    });
    expect(describeError(caused("a", trap)).cause).toBeDefined();
  });

  it("has a bounded size, and text that every store can hold", () => {
    const huge = "x\u0000\uD800".repeat(100_000);
    const wide = new AggregateError(
      Array.from({ length: 1_000 }, () => caused(huge, caused(huge, { [huge]: huge, list: [huge] }))),
      huge,
    );
    const text = JSON.stringify(describeError(wide));
    expect(text.length).toBeLessThan(100_000);
    const texts = (value: object): string[] =>
      Object.values(value).flatMap((each: unknown) =>
        typeof each === "string" ? [each] : typeof each === "object" && each !== null ? texts(each) : [],
      );
    const unsafe = texts(describeError(wide)).filter((each) => !each.isWellFormed() || each.includes("\u0000"));
    expect(unsafe.length).toBe(0);
  });

  it("reads an error of another realm like one of its own", () => {
    const foreign: unknown = runInNewContext("new TypeError('elsewhere', { cause: new RangeError('why') })");
    expect(foreign).not.toBeInstanceOf(Error);
    expect(describeError(foreign)).toMatchObject({
      name: "TypeError",
      message: "elsewhere",
      cause: { name: "RangeError", message: "why" },
    });
  });

  it("shows what was thrown if that is no error", () => {
    class Denied {
      readonly status = 403;
    }
    const round: Record<string, unknown> = { a: 1 };
    round["round"] = round;
    const shown = [
      { code: 42, "not a word": [1n, "two", undefined, null] },
      new Denied(),
      "text",
      round,
      {
        get secret() {
          throw new Error("no");
        },
      },
      Object.assign(Object.create(null), { a: new RangeError("b") }),
      new Date(0),
    ].map((thrown) => describeError(thrown).message);
    expect(shown).toEqual([
      '{ code: 42, "not a word": [1n, "two", undefined, null] }',
      "Denied { status: 403 }",
      "text",
      "{ a: 1, round: { a: 1, round: { a: 1, round: {…} } } }",
      "{ secret: [Getter] }",
      "{ a: [RangeError: b] }",
      "1970-01-01T00:00:00.000Z",
    ]);
  });

  it("shows only a part of a large object", () => {
    const large = Object.fromEntries(Array.from({ length: 1_000 }, (_, key) => [`key${key}`, "v".repeat(10_000)]));
    const { message } = describeError(large);
    expect(message.length).toBeLessThanOrEqual(4_001);
    expect(describeError(Array.from({ length: 1_000 }, (_, n) => n)).message).toMatch(/, 19, … 980 more\]$/);
  });
});

describe("the stack of an error", () => {
  const at = (place: string): string => `    at ${place}`;
  const withStack = (error: Error, ...frames: string[]): Error =>
    Object.assign(error, { stack: [String(error), ...frames].join("\n") });
  const own = new URL("../../src/worker/attempt.ts", import.meta.url).href;

  it("has the frames of the application, and counts those of the library and of Node.js", () => {
    const error = withStack(
      new TypeError("fetch failed"),
      at("node:internal/deps/undici/undici:13510:13"),
      at("process.processTicksAndRejections (node:internal/process/task_queues:105:5)"),
      at("async charge (file:///app/src/charge.ts:3:5)"),
      at("async Socket (/app/node_modules/pg/lib/client.js:1:2)"),
      at(`perform (${own}:1:2)`),
      at("new Promise (<anonymous>)"),
      at("run (/app/node_modules/chainwright/dist/index.js:1:2)"),
      at("run (/app/node_modules/.pnpm/x/node_modules/@chainwright/postgres/dist/pg.js:1:2)"),
    );
    expect(describeError(error).stack?.split("\n")).toEqual([
      "TypeError: fetch failed",
      "    ... 2 frames of Chainwright and Node.js",
      at("async charge (file:///app/src/charge.ts:3:5)"),
      at("async Socket (/app/node_modules/pg/lib/client.js:1:2)"),
      "    ... 4 frames of Chainwright and Node.js",
    ]);
  });

  it("is kept where it has no frame of the application, except in an error of the library", () => {
    const frame = at(`perform (${own}:1:2)`);
    expect(describeError(withStack(new TypeError("a bug"), frame)).stack).toContain(frame);
    expect(describeError(withStack(new ChainwrightError("timeout", "late"), frame)).stack).not.toContain(frame);
  });

  it("is part of the error's text, with those of its causes", () => {
    const cause = withStack(new Error("why"), at("b (/app/b.ts:1:1)"));
    const error = describeError(withStack(new Error("what", { cause }), at("a (/app/a.ts:1:1)")));
    expect(errorText(error)).toBe(
      ["Error: what", at("a (/app/a.ts:1:1)"), "  Cause: Error: why", `  ${at("b (/app/b.ts:1:1)")}`].join("\n"),
    );
  });
});
