import { describe, expect, it } from "vitest";
import { appendAttemptError, readAttemptErrors } from "../../src/checks/attempt-errors.ts";
import { failureKindOf } from "../../src/checks/failure-kind.ts";
import { foldMessage } from "../../src/checks/fold-message.ts";
import { ownFrame } from "../../src/checks/own-frame.ts";
import { blockerFailureErrors } from "../../src/model/blocker-failure.ts";
import { blockerFailureKind, storedFailureKind } from "../../src/model/stored-failure-kind.ts";

describe("a message of a failure", () => {
  it.each([
    ["req_000000018b44a timed out", "req_00000002ffe19 timed out"],
    ["session sess-ab12 of 0x7ffe expired", "session sess-9f of 0x1234ab expired"],
    ["blob bWVzc2FnZTE9== was refused: 17 bytes", "blob c2Vjb25kMg+/A== was refused: 90 bytes"],
    ["user ada@example.com is unknown", "user grace@example.org is unknown"],
    [`key "a" and 'b'`, `key "c" and 'd'`],
    ["can't read 'Ada's list', won't retry", "can't read 'Bob's list', won't retry"],
    ["chain 01a1f84a-95c0-7001-be74-7d23673f277d is gone", "chain 7d23673f-95c0-7001-be74-01a1f84a277d is gone"],
  ])("is of the kind of another one that differs only in ids: %s", (one, other) => {
    expect(foldMessage(one)).toBe(foldMessage(other));
  });

  it.each([
    ["card 12 was declined", "card 12 was accepted"],
    ["order.charge failed", "order.ship failed"],
    ["can't charge: the card was declined, won't retry", "can't charge: the bank is closed, won't retry"],
  ])("is of another kind if its words differ: %s", (one, other) => {
    expect(foldMessage(one)).not.toBe(foldMessage(other));
  });

  it.each(["a", "=", "@", " '", " 'a", "'a", `"`, "a@", "1", "1="])(
    "is folded in a time that grows with its length and not with its square: many of %j",
    (part) => {
      // With the square of the length this would take minutes.
      expect(foldMessage(part.repeat(500_000)).length).toBeGreaterThan(0);
    },
  );
});

describe("the place of a failure", () => {
  it("is the first frame of the application's own code, without its line", () => {
    const stack = [
      "Error: x",
      "    at fail (/app/node_modules/pg/lib/client.js:10:5)",
      "    at process.processTicksAndRejections (node:internal/process/task_queues:103:5)",
      "    at async Promise.all (index 3)",
      "    at async chargeCard (/app/src/charge.ts:42:11)",
      "    at async other (/app/src/other.ts:1:1)",
    ].join("\n");
    expect(ownFrame(stack)).toBe("chargeCard (charge.ts)");
    expect(ownFrame("Error: x\n    at file:///app/src/main.ts:3:9")).toBe("main.ts");
    expect(ownFrame("Error: x\n    at fail (/app/node_modules/pg/client.js:1:1)")).toBe(undefined);
    expect(ownFrame(undefined)).toBe(undefined);
  });

  it("is none of the lines of the message, however it begins", () => {
    const stack = "Error: no room\nat table 7\n    at seat (/app/src/seat.ts:1:1)";
    expect(ownFrame(stack)).toBe("seat (seat.ts)");
  });
});

describe("the kind of a failure", () => {
  const stack = "Error: x\n    at charge (/app/src/charge.ts:1:1)";
  const error = { name: "Error", message: "card 12 was declined", stack, cause: "TypeError: fetch failed" };

  it("is the same for other ids and other lines, and another one for another name, words, place or cause", () => {
    const { kind, frame } = failureKindOf(error);
    expect(kind).toMatch(/^[0-9a-f]{16}$/);
    expect(frame).toBe("charge (charge.ts)");
    expect(failureKindOf({ ...error, message: "card 99 was declined", stack: stack.replace("1:1", "7:3") }).kind).toBe(
      kind,
    );
    const others = [
      { name: "TypeError" },
      { message: "card 12 was accepted" },
      { stack: undefined },
      { cause: undefined },
      { cause: "RangeError: 7" },
    ].map((other) => failureKindOf({ ...error, ...other }).kind);
    expect(new Set([kind, ...others]).size).toBe(others.length + 1);
  });

  it("is not parted by long messages: neither by ids of different lengths nor by the length of the message", () => {
    const kindOf = (message: string) => failureKindOf({ name: "Error", message }).kind;
    expect(kindOf("7 ".repeat(45))).toBe(kindOf("7777777 ".repeat(45)));
    expect(kindOf(`7${" of the list".repeat(600)}`)).toBe(kindOf(`7777777${" of the list".repeat(900)}`));
  });

  it("is stored with the error that ends the job alone, behind everything else", () => {
    const at = { at: 0, workerId: "w", error: new Error('"kind":"fake"}]', { cause: new Error("no") }) };
    const first = appendAttemptError(undefined, { ...at, attempt: 1 });
    expect(storedFailureKind(first)).toBe("");
    const marks = { batch: { size: 1, halvings: 0, others: [] } };
    const last = appendAttemptError(first, { ...at, attempt: 2, marks, isLast: true });
    const [retried, ended] = readAttemptErrors(last);
    expect(retried?.kind).toBe(undefined);
    expect(ended?.kind).toMatch(/^[0-9a-f]{16}$/);
    expect(storedFailureKind(last)).toBe(ended?.kind);
  });

  it("of a job whose blocker failed is the same whatever the blocker was", () => {
    for (const status of ["failed", "cancelled"] as const)
      expect(storedFailureKind(blockerFailureErrors({ chainId: "c", typeName: '"kind":"x"}]', status, at: 0 }))).toBe(
        blockerFailureKind,
      );
  });

  it("of a job that a worker of an older release failed after its blocker had failed is none", () => {
    const [blocked] = readAttemptErrors(blockerFailureErrors({ chainId: "c", typeName: "a", status: "failed", at: 0 }));
    const later = { attempt: 1, at: 1, workerId: "w", name: "Error", message: "no" };
    expect(storedFailureKind(JSON.stringify([blocked, later]))).toBe("");
    expect(storedFailureKind('[{"attempt":0,')).toBe("");
  });

  it.each([undefined, "", "[]", "{", '[{"kind":""}]', '[{"kind":"a\\"}]', `[{"kind":"${"k".repeat(33)}"}]`])(
    "is none in %j",
    (errors) => {
      expect(storedFailureKind(errors)).toBe("");
    },
  );
});
