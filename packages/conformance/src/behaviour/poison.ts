import { equal, holds, match, present } from "../check.ts";
import { behaviours } from "./group.ts";
import type { AppFixture } from "./fixture.ts";
import { inTime } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";

function trap(message = "trapped"): never {
  throw new Error(message);
}

function withProperty(key: string, descriptor: PropertyDescriptor): Error {
  return Object.defineProperty(new Error("base"), key, { configurable: true, ...descriptor });
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable(new Error("gone"), {});
  revoke();
  return proxy;
}

function bare(prototype: object | null): unknown {
  return Object.create(prototype);
}

function endless(): Error {
  return withProperty("cause", { get: endless });
}

const allTraps = new Proxy(
  {},
  {
    get: () => () => trap(),
  },
);

/** Values that make careless error handling fail. Each is made when it is thrown. */
const poisons: Readonly<Record<string, () => unknown>> = {
  "a message with NUL": () => new Error("a\u0000b"),
  "a message with half a character": () => new Error("half \ud83d here"),
  "a message cut through a character": () => new Error(`${"x".repeat(3_999)}😀${"y".repeat(100)}`),
  "fifty megabytes of message": () => new Error("m".repeat(50_000_000)),
  "fifty megabytes of stack": () => withProperty("stack", { value: "s".repeat(50_000_000) }),
  "a message that throws": () => withProperty("message", { get: () => trap() }),
  "a stack that throws": () => withProperty("stack", { get: () => trap() }),
  "a name that throws": () => withProperty("name", { get: () => trap() }),
  "a code that throws": () => withProperty("code", { get: () => trap() }),
  "a cause that throws": () => withProperty("cause", { get: () => trap() }),
  "a message that is an object": () => withProperty("message", { value: { not: "text" } }),
  "a name that is a symbol": () => withProperty("name", { value: Symbol("name") }),
  "a cause that is itself": () => {
    const error = new Error("round");
    error.cause = error;
    return error;
  },
  "causes without end": () => endless(),
  "a cause with NUL and half a character": () => new Error("a", { cause: new Error("a\u0000b \ud83d") }),
  "a cause that is a proxy whose every trap throws": () =>
    new Error("a", { cause: new Proxy(new Error("p"), allTraps) }),
  "thousands of huge errors in one": () =>
    new AggregateError(Array.from({ length: 5_000 }, () => new Error("m".repeat(10_000), { cause: endless() }))),
  "errors that throw": () => withProperty("errors", { get: () => trap() }),
  "errors that are a list of itself": () => {
    const error = new AggregateError([], "round");
    error.errors.push(error, error.errors);
    return error;
  },
  "an object that refers to itself": () => {
    const thrown: { self?: unknown } = {};
    thrown.self = thrown;
    return thrown;
  },
  "an object with a getter that throws": () => ({
    get secret() {
      return trap();
    },
  }),
  "an object with ten thousand huge texts": () =>
    Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`\u0000${n}${"k".repeat(1_000)}`, "v".repeat(1_000)])),
  "a toJSON that throws": () => withProperty("toJSON", { value: () => trap() }),
  "a toString that throws": () => ({ toString: () => trap() }),
  "an object without a prototype": () => bare(null),
  "a revoked proxy": revoked,
  "a proxy whose every trap throws": () => new Proxy(new Error("p"), allTraps),
  "a class whose instanceof throws": () => bare(new Proxy({}, { getPrototypeOf: () => trap() })),
  undefined: () => undefined,
  null: () => null,
  "a number": () => 42,
  NaN: () => Number.NaN,
  "a bigint": () => 42n,
  "a symbol": () => Symbol("thrown"),
  "a text": () => "just text",
  "an empty text": () => "",
  "a function": () => () => {},
  "a promise that rejects": () => {
    const promise = Promise.reject(new Error("inner"));
    promise.catch(() => {});
    return promise;
  },
  "an AggregateError": () => new AggregateError([new Error("a"), new Error("b")], "many"),
  "a DOMException": () => new DOMException("aborted", "AbortError"),
  "a frozen error": () => Object.freeze(new Error("frozen")),
  "an error that says it is the library's": () =>
    Object.assign(new Error("lie"), { name: "ChainwrightError", code: 7 }),
  "an error that says its chain was cancelled": () =>
    Object.assign(new Error("lie"), { name: "ChainwrightError", code: "cancelled" }),
};

/** Poisons whose message can be read. */
const readable: ReadonlySet<string> = new Set([
  "a stack that throws",
  "a name that throws",
  "a code that throws",
  "a cause that throws",
  "errors that throw",
  "causes without end",
  "a name that is a symbol",
  "a toJSON that throws",
]);

async function survives(fixture: AppFixture, what: string, poison: () => unknown): Promise<void> {
  const { client, clock, eventLog } = fixture;
  await fixture.work({
    work: {
      retry: { maxAttempts: 2, backoff: { initialMs: 1_000, jitter: 0 } },
      handler: ({ job }) => {
        if (job.input === "good") return "good";
        throw poison();
      },
    },
  });
  const bad = await client.startChain({ typeName: "work", input: "bad" });
  const retry = await eventLog.until("it is tried again", (event) => event.type === "job-retried");
  equal("after its backoff", retry.type === "job-retried" ? retry.dueInMs : undefined, 1_000);
  match("with an error on record", await client.getJob({ id: firstJobIdOf(bad) }), { status: "scheduled", attempt: 1 });
  const good = await client.startChain({ typeName: "work", input: "good" });
  equal("its neighbour ends", (await inTime("ends", client.awaitChain(good))).output, "good");
  clock.leap(1_000);
  await eventLog.until("it fails", (event) => event.type === "chain-failed" && event.chainId === bad.id);
  const chain = present("the chain", await client.getChain({ id: bad.id }));
  equal("failed", chain.status, "failed");
  const error = present("its error", chain.error);
  holds("its message is text that any store holds", isSafe(error.message), error.message.slice(0, 200));
  holds("its name too", isSafe(error.name), error.name);
  const texts = textsIn(error);
  holds(
    "all its other texts too",
    texts.every(isSafe),
    texts.filter((text) => !isSafe(text)),
  );
  if (readable.has(what)) equal("and what can be read is read", error.message, "base");
  const size = JSON.stringify(error).length;
  holds("it is cut to a size", size < 100_000, size);
  await client.retryChain({ id: bad.id });
}

/** All texts of an error and of its causes. */
function textsIn(value: object): string[] {
  return Object.values(value).flatMap((each: unknown) =>
    typeof each === "string" ? [each] : typeof each === "object" && each !== null ? textsIn(each) : [],
  );
}

function isSafe(text: string): boolean {
  return typeof text === "string" && text.isWellFormed() && !text.includes("\u0000");
}

const thrown = Object.fromEntries(
  Object.entries(poisons).map(([what, poison]) => [
    `a handler that throws ${what} is retried after its backoff, fails in the end, and harms no other job`,
    (fixture: AppFixture) => survives(fixture, what, poison),
  ]),
);

export const poisonCases = behaviours("poison", thrown);
