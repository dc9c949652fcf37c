import {
  createClient,
  createProcessors,
  defineJobTypes,
  type CompletedBlocker,
  type CompletedChain,
  type StartedChain,
} from "chainwright";
import { expectTypeOf, it } from "vitest";
import { schema } from "./schema.ts";
import { orderJobTypes, stateAdapter } from "./job-types.ts";

const bookJobTypes = defineJobTypes(
  {
    "book.print": {
      entry: true,
      input: schema<{ title: string; copies?: number }, { title: string; copies: number }>(),
      continueWith: ["book.bind", "book.print"],
    },
    "book.bind": {
      input: schema<{ pages: number }>(),
      output: schema<{ boundAt: Date }, { boundAt: string }>(),
      blockers: ["paper.order", { anyOf: ["paper.order", "fraud.check"] }, { rest: ["paper.order"] }],
    },
    "paper.order": { entry: true, input: schema<null>(), output: schema<{ sheets: number }>() },
    "book.lend": { entry: true, input: schema<null>(), continueWith: [{ input: schema<{ pages: number }>() }] },
  },
  { external: [orderJobTypes] },
);

const client = createClient({ stateAdapter, jobTypes: [bookJobTypes, orderJobTypes] });

it("a start takes the input of the schema, and the chain has it as it was written", () => {
  expectTypeOf(client.startChain({ typeName: "book.print", input: { title: "t" } })).resolves.toEqualTypeOf<
    StartedChain<"book.print", { title: string; copies?: number }>
  >();
});

it("continuations, blockers and outputs are inferred as from types, and a handler reads what the schema makes of the input", () => {
  expectTypeOf(client.awaitChain({ id: "c", typeName: "book.print" })).resolves.toEqualTypeOf<
    CompletedChain<"book.print", { title: string; copies?: number }, { boundAt: string }>
  >();
  expectTypeOf(client.awaitChain({ id: "c", typeName: "book.lend" })).resolves.toEqualTypeOf<
    CompletedChain<"book.lend", null, { boundAt: string }>
  >();
  createProcessors({
    client,
    jobTypes: bookJobTypes,
    processors: {
      "book.print": async ({ job, continueWith }) => {
        expectTypeOf(job.input.copies).toEqualTypeOf<number>();
        const paper = { typeName: "paper.order", input: null } as const;
        return continueWith({ typeName: "book.bind", input: { pages: 5 }, blockers: [paper, paper, paper, paper] });
      },
      "book.bind": async ({ job }) => {
        const [paper, either, ...more] = job.blockers;
        expectTypeOf(paper.output).toEqualTypeOf<{ sheets: number }>();
        expectTypeOf(either.typeName).toEqualTypeOf<"paper.order" | "fraud.check">();
        expectTypeOf(more).toEqualTypeOf<CompletedBlocker<"paper.order", null, { sheets: number }>[]>();
        return { boundAt: new Date() };
      },
      "paper.order": async () => ({ sheets: 500 }),
      "book.lend": async ({ continueWith }) =>
        continueWith({
          typeName: "book.bind",
          input: { pages: 1 },
          blockers: [
            { typeName: "paper.order", input: null },
            { typeName: "fraud.check", input: { orderId: "o" } },
          ],
        }),
    },
  });
});

it("an output from outside is written as the schema takes it", async () => {
  await client.completeChain({ id: "c", typeName: "book.bind", output: { boundAt: new Date() } });
});

it("one next step and one structural target need no list, and a handler may read what JSON cannot carry", () => {
  const jobTypes = defineJobTypes({
    "note.write": { entry: true, input: schema<{ at: string }, { at: Date }>(), continueWith: "note.file" },
    "note.file": { input: schema<{ at: string }>(), continueWith: { input: schema<{ at: string }>() } },
    "note.done": { input: schema<{ at: string }>(), output: schema<void>() },
  });
  const notes = createClient({ stateAdapter, jobTypes });
  createProcessors({
    client: notes,
    jobTypes,
    processors: {
      "note.write": async ({ job, continueWith }) =>
        continueWith({ typeName: "note.file", input: { at: job.input.at.toISOString() } }),
      "note.file": async ({ job, continueWith }) => continueWith({ typeName: "note.done", input: job.input }),
      "note.done": async () => {},
    },
  });
  expectTypeOf(notes.awaitChain({ id: "c", typeName: "note.write" })).resolves.toEqualTypeOf<
    CompletedChain<"note.write", { at: string }, null>
  >();
});
