import { createClient, createProcessors, defineJobTypes, type CompletedChain, type StartedChain } from "chainwright";
import { expectTypeOf, it } from "vitest";
import { stateAdapter } from "./job-types.ts";

interface Address {
  readonly street: string;
  readonly flat?: number | undefined;
}

interface Folder {
  readonly name: string;
  readonly folders: readonly Folder[];
}

type OrderId = string & { readonly brand: "OrderId" };

it("every payload that JSON can carry is accepted: interfaces, optional properties, recursion, brands, unions, tuples", () => {
  defineJobTypes<{
    interfaces: { input: Address; output: Folder };
    brands: { input: { id: OrderId; kind: "a" | "b" | null }; output: readonly [string, ...number[]] };
    values: { input: string; output: true };
    dictionaries: { input: Record<string, Address>; output: { [key: string]: number | undefined } };
    unchecked: { input: unknown; output: { body: unknown } };
    either: { input: { kind: "a"; a: Address } | { kind: "b" }; output: string | null };
  }>();
});

it("an interface declares job types as well as a type literal", () => {
  interface MailTypes {
    "mail.send": { entry: true; input: { to: string }; output: { sent: true } };
  }
  const client = createClient({ stateAdapter, jobTypes: defineJobTypes<MailTypes>() });
  expectTypeOf(client.startChain({ typeName: "mail.send", input: { to: "a" } })).resolves.toEqualTypeOf<
    StartedChain<"mail.send", { to: string }>
  >();
});

it("a structural target is every type whose input accepts it", async () => {
  const jobTypes = defineJobTypes<{
    start: { entry: true; input: null; continueWith: { input: { orderId: string } } };
    accepts: { input: { orderId: string }; output: 1 };
    acceptsMore: { input: { orderId: string; note?: string }; output: 2 };
    needsMore: { input: { orderId: string; note: string }; output: 3 };
  }>();
  const client = createClient({ stateAdapter, jobTypes });
  const { output } = await client.awaitChain({ id: "c", typeName: "start" });
  expectTypeOf(output).toEqualTypeOf<1 | 2>();
  createProcessors({
    client,
    jobTypes,
    processors: {
      start: async ({ continueWith }) => {
        continueWith({ typeName: "acceptsMore", input: { orderId: "o", note: "n" } });
        return continueWith({ typeName: "accepts", input: { orderId: "o" } });
      },
      accepts: async () => 1,
      acceptsMore: async () => 2,
      needsMore: async () => 3,
    },
  });
});

it("the output of a chain is that of every end: through lines, loops, branches and merges", async () => {
  const jobTypes = defineJobTypes<{
    start: { entry: true; input: null; continueWith: "left" | "right" };
    left: { input: null; continueWith: "left" | "merge" };
    right: { input: null; output: { early: true }; continueWith: "merge" };
    merge: { input: null; continueWith: "end" };
    end: { input: null; output: { done: true } };
    apart: { entry: true; input: null; output: "apart" };
  }>();
  const client = createClient({ stateAdapter, jobTypes });
  expectTypeOf(client.awaitChain({ id: "c", typeName: "start" })).resolves.toEqualTypeOf<
    CompletedChain<"start", null, { early: true } | { done: true }>
  >();
  expectTypeOf(client.awaitChain({ id: "c", typeName: "apart" })).resolves.toEqualTypeOf<
    CompletedChain<"apart", null, "apart">
  >();
});

it("a chain that never ends has no output", async () => {
  const jobTypes = defineJobTypes<{ poll: { entry: true; input: null; continueWith: "poll" } }>();
  const client = createClient({ stateAdapter, jobTypes });
  expectTypeOf((await client.awaitChain({ id: "c", typeName: "poll" })).output).toEqualTypeOf<never>();
});

it("a blocker may be of one of several types", () => {
  const jobTypes = defineJobTypes<{
    wait: { entry: true; input: null; output: null; blockers: ["a" | "b"] };
    a: { entry: true; input: { a: string }; output: "a" };
    b: { entry: true; input: { b: string }; output: "b" };
  }>();
  const client = createClient({ stateAdapter, jobTypes });
  void client.startChain({ typeName: "wait", input: null, blockers: [{ typeName: "b", input: { b: "" } }] });
  createProcessors({
    client,
    jobTypes,
    processors: {
      wait: async ({ job }) => {
        const [blocker] = job.blockers;
        if (blocker.typeName === "a") expectTypeOf(blocker.output).toEqualTypeOf<"a">();
        else expectTypeOf(blocker.input).toEqualTypeOf<{ b: string }>();
        return null;
      },
      a: async () => "a",
      b: async () => "b",
    },
  });
});

it("inputs with lists are written in place, also in blockers", () => {
  const jobTypes = defineJobTypes<{
    start: { entry: true; input: null; continueWith: "gather" };
    gather: { input: { ids: string[] }; output: { ids: string[] }; blockers: ["part", ..."part"[]] };
    part: { entry: true; input: { tags: string[] }; output: null };
  }>();
  const client = createClient({ stateAdapter, jobTypes });
  createProcessors({
    client,
    jobTypes,
    processors: {
      start: async ({ continueWith }) => {
        const parts = await client.startChains({ items: [{ typeName: "part", input: { tags: ["a"] } }] });
        return continueWith({
          typeName: "gather",
          input: { ids: ["a", "b"] },
          blockers: [{ typeName: "part", input: { tags: ["a"] } }, ...parts],
        });
      },
      gather: async ({ job }) => ({ ids: job.blockers.map((part) => part.id) }),
      part: async () => null,
    },
  });
});

it("a handler of a type with nothing as its output returns nothing, and its chain is read with null", async () => {
  const jobTypes = defineJobTypes<{
    nothing: { entry: true; input: null; output: void };
    undefinedly: { entry: true; input: null; output: undefined };
    perhaps: { entry: true; input: null; output: string | undefined };
  }>();
  const client = createClient({ stateAdapter, jobTypes });
  createProcessors({
    client,
    jobTypes,
    processors: {
      nothing: async () => {},
      undefinedly: async ({ job, complete }) => {
        if (job.attempt > 1) return complete(async () => {});
        return undefined;
      },
      perhaps: async ({ job }) => (job.attempt > 1 ? job.id : undefined),
    },
  });
  expectTypeOf((await client.awaitChain({ id: "c", typeName: "nothing" })).output).toEqualTypeOf<null>();
  expectTypeOf((await client.awaitChain({ id: "c", typeName: "undefinedly" })).output).toEqualTypeOf<null>();
  expectTypeOf((await client.awaitChain({ id: "c", typeName: "perhaps" })).output).toEqualTypeOf<string | null>();
  await client.completeChain({ id: "c", typeName: "nothing", output: undefined });
  await client.completeChain({ id: "c", typeName: "nothing", output: null });
});

it("continuations and blockers are written as with schemas: arrays, { anyOf } and { rest }", async () => {
  const jobTypes = defineJobTypes<{
    start: { entry: true; input: null; continueWith: ["gather", { input: { at: number } }] };
    gather: { input: null; output: "gathered"; blockers: ["a", { anyOf: ["a", "b"] }, { rest: "b" }] };
    timed: { input: { at: number }; output: "timed" };
    a: { entry: true; input: { a: string }; output: "a" };
    b: { entry: true; input: { b: string }; output: "b" };
  }>();
  const client = createClient({ stateAdapter, jobTypes });
  expectTypeOf((await client.awaitChain({ id: "c", typeName: "start" })).output).toEqualTypeOf<"gathered" | "timed">();
  const a = { typeName: "a", input: { a: "" } } as const;
  const b = { typeName: "b", input: { b: "" } } as const;
  createProcessors({
    client,
    jobTypes,
    processors: {
      start: async ({ job, continueWith }) =>
        job.attempt > 1
          ? continueWith({ typeName: "timed", input: { at: 1 } })
          : continueWith({ typeName: "gather", input: null, blockers: [a, b, b, b] }),
      gather: async ({ job }) => {
        const [first, either, ...others] = job.blockers;
        expectTypeOf(first.output).toEqualTypeOf<"a">();
        expectTypeOf(either.output).toEqualTypeOf<"a" | "b">();
        expectTypeOf(others[0]?.output).toEqualTypeOf<"b" | undefined>();
        return "gathered";
      },
      timed: async () => "timed",
      a: async () => "a",
      b: async () => "b",
    },
  });
});

interface StoredError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: StoredError;
}

it("an object that looks like an error, with a cause of its own kind, is accepted", () => {
  defineJobTypes<{ "error.report": { entry: true; input: StoredError; output: { errors: readonly StoredError[] } } }>();
});

it("a structural target is found among inputs that look the same, are nested, optional, or lists", async () => {
  interface Line {
    readonly sku: string;
    readonly count?: number;
  }
  const jobTypes = defineJobTypes<{
    start: {
      entry: true;
      input: null;
      continueWith: { input: { id: string; lines: readonly Line[]; at: { day: number } } };
    };
    same: { input: { id: string; lines: readonly { sku: string; count?: number }[]; at: { day: number } }; output: 1 };
    fewer: { input: { id: string }; output: 2 };
    optional: { input: { id?: string; more?: boolean }; output: 3 };
    mutable: { input: { id: string; lines: Line[] }; output: 4 };
    otherNested: { input: { at: { day: string } }; output: 5 };
    more: { input: { id: string; note: string }; output: 6 };
    anything: { input: unknown; output: 7 };
    nothing: { input: null; output: 8 };
    dictionary: { input: { [key: string]: unknown }; output: 9 };
  }>();
  const client = createClient({ stateAdapter, jobTypes });
  const { output } = await client.awaitChain({ id: "c", typeName: "start" });
  expectTypeOf(output).toEqualTypeOf<1 | 2 | 3 | 7 | 9>();
});
