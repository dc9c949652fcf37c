import { describe, expect, it } from "vitest";
import type { HandlerContext } from "../../src/types/handler-context.ts";
import type { Job } from "../../src/types/job.ts";
import { createRig } from "../rig.ts";

type ContinueWith = (next: { readonly typeName: string; readonly input: unknown }) => unknown;
type Context = HandlerContext<Job<string, unknown, readonly []>, unknown, unknown, ContinueWith>;

/** Runs one job, and returns its end and the mistakes that were reported. */
async function run(handler: (context: Context) => unknown) {
  const retry = { maxAttempts: 1 };
  const rig = createRig({ processors: { a: { retry, handler: (context) => handler(context as Context) } } });
  const worker = rig.createWorker();
  await worker.start();
  const id = await rig.start("a");
  await rig.clock.advance(100);
  const job = await rig.job(id);
  await worker.stop();
  const mistakes = rig.events.all.flatMap((event) => (event.type === "handler-mistake" ? [event.error] : []));
  const ended = rig.events.all.find((event) => event.type === "attempt-ended");
  return { status: job?.status, output: job?.output, mistakes, ended: ended?.error };
}

describe("a mistake of a handler is reported, and", () => {
  it("the first of two calls of complete counts, one after the other", async () => {
    const called: number[] = [];
    const { mistakes, ...rest } = await run(async ({ complete }) => {
      await complete(async () => called.push(1));
      return complete(async () => called.push(2));
    });
    expect(called).toEqual([1]);
    expect(rest).toMatchObject({ status: "completed", output: "1", ended: { name: "handler-result" } });
    expect(mistakes).toMatchObject([
      { name: "handler-result", message: expect.stringContaining("called complete twice; the first one counts") },
    ]);
  });

  it("the first of two calls of complete counts, at the same time", async () => {
    const { status, output, mistakes } = await run(async ({ complete }) => {
      const first = complete(async () => "first");
      await complete(async () => "second").catch(() => undefined);
      return first;
    });
    expect({ status, output }).toEqual({ status: "completed", output: '"first"' });
    expect(mistakes).toMatchObject([{ message: expect.stringContaining("called complete twice") }]);
  });

  it("a value after complete is dropped", async () => {
    const { status, output, mistakes, ended } = await run(async ({ complete }) => {
      await complete(async () => "first");
      return "second";
    });
    expect({ status, output }).toEqual({ status: "completed", output: '"first"' });
    expect(mistakes).toMatchObject([{ message: expect.stringContaining("returned a value after complete") }]);
    expect(ended).toMatchObject({ name: "handler-result" });
  });

  it("a continuation that is made after complete is dropped", async () => {
    const { status, output, mistakes } = await run(async ({ complete, continueWith }) => {
      const completed = await complete(async () => "first");
      continueWith({ typeName: "a", input: 1 });
      return completed;
    });
    expect({ status, output }).toEqual({ status: "completed", output: '"first"' });
    expect(mistakes).toMatchObject([{ message: expect.stringContaining("called continueWith after complete") }]);
  });

  it("an error after complete changes nothing", async () => {
    const { status, mistakes } = await run(async ({ complete }) => {
      await complete(async () => "first");
      throw new TypeError("too late");
    });
    expect(status).toBe("completed");
    expect(mistakes).toMatchObject([
      { message: expect.stringContaining("threw after complete"), cause: { message: "too late" } },
    ]);
  });

  it("the result counts if a catch swallowed reschedule", async () => {
    const { status, output, mistakes } = await run(async ({ reschedule }) => {
      try {
        return reschedule({ afterMs: 10 });
      } catch {
        return "swallowed";
      }
    });
    expect({ status, output }).toEqual({ status: "completed", output: '"swallowed"' });
    expect(mistakes).toMatchObject([{ message: expect.stringContaining("called reschedule, and a catch swallowed") }]);
  });

  it("the attempt has failed if a catch replaced what reschedule throws", async () => {
    const { status, mistakes } = await run(async ({ reschedule }) => {
      try {
        return reschedule({ afterMs: 10 });
      } catch (cause) {
        throw new Error("wrapped", { cause });
      }
    });
    expect(status).toBe("failed");
    expect(mistakes).toMatchObject([{ message: expect.stringContaining("a catch replaced") }]);
  });

  it("a prepare that is not awaited and fails does not end the process", async () => {
    const { status, mistakes } = await run(async ({ prepare }) => {
      void prepare({ mode: "staged" }, async () => {
        throw new Error("no such table");
      });
      await new Promise((resolve) => void setImmediate(resolve));
      return 1;
    });
    expect(status).toBe("completed");
    expect(mistakes).toMatchObject([
      { message: expect.stringContaining("although its prepare had failed"), cause: { message: "no such table" } },
    ]);
  });
});

describe("an attempt has failed", () => {
  it("if its handler returns a value while its complete still runs", async () => {
    const { status, output, mistakes, ended } = await run(({ complete }) => {
      void complete(async () => await new Promise((resolve) => void setImmediate(resolve, "of complete")));
      return "of the handler";
    });
    expect({ status, output, mistakes }).toEqual({ status: "failed", output: undefined, mistakes: [] });
    expect(ended).toMatchObject({
      name: "handler-result",
      message: expect.stringContaining("returned a value while its complete still ran"),
    });
  });

  it.each([
    { returned: "another value", value: 1 },
    { returned: "nothing", value: undefined },
  ])("if its handler calls continueWith and returns $returned", async ({ returned, value }) => {
    const { status, ended } = await run(({ continueWith }) => {
      continueWith({ typeName: "a", input: 1 });
      return value;
    });
    expect(status).toBe("failed");
    expect(ended?.message).toBe(
      `the handler of "a" called continueWith and returned ${returned}; return the result of continueWith, or call it only to continue.`,
    );
  });

  it("if its handler calls continueWith and ends the chain in complete", async () => {
    const { status, ended } = await run(({ continueWith, complete }) => {
      continueWith({ typeName: "a", input: 1 });
      return complete(async () => 1);
    });
    expect({ status, ended }).toMatchObject({ status: "failed", ended: { name: "handler-result" } });
  });
});

describe("no mistake is reported of a handler that", () => {
  const fine: Readonly<Record<string, (context: Context) => unknown>> = {
    "returns what complete returns": ({ complete }) => complete(async () => 1),
    "awaits complete and returns nothing": async ({ complete }) => {
      await complete(async () => 1);
    },
    "does not await complete": ({ complete }) => void complete(async () => 1),
    "makes its continuation before complete": ({ job, continueWith, complete }) => {
      if (job.input !== null) return 1;
      const next = continueWith({ typeName: "a", input: 1 });
      return complete(async () => next);
    },
    "makes two continuations and returns one": ({ job, continueWith }) => {
      if (job.input !== null) return 1;
      continueWith({ typeName: "a", input: 1 });
      return continueWith({ typeName: "a", input: 1 });
    },
    "reschedules once, uncaught": ({ job, reschedule }) =>
      job.lastError === undefined && Date.now() < 0 ? reschedule({ afterMs: 1 }) : 1,
    throws: () => {
      throw new Error("a failure, and no mistake");
    },
  };
  it.each(Object.entries(fine))("%s", async (_, handler) => {
    expect((await run(handler)).mistakes).toEqual([]);
  });
});
