import {
  createClient,
  createProcessors,
  defineJobTypes,
  type AnyClient,
  type ContextOf,
  type HandlerContext,
  type HandlerOf,
  type Received,
  type SignalledJob,
  type StoredSignalInfo,
} from "chainwright";
import { expectTypeOf, it } from "vitest";
import { stateAdapter } from "./job-types.ts";
import { schema } from "./schema.ts";

type Signals = { approved: { by: string }; rejected: { reason: string } };
type Approved = { signal: "approved"; payload: { by: string }; at: Date; signalId: string | undefined };
type Rejected = { signal: "rejected"; payload: { reason: string }; at: Date; signalId: string | undefined };

const jobTypes = defineJobTypes<{
  file: { entry: true; input: { cents: number }; continueWith: "approve" };
  approve: {
    input: { cents: number };
    signals: Signals;
    output: { paid: false };
    continueWith: "pay" | "approve";
  };
  pay: { input: { by: string }; output: { paid: true }; blockers: ["stock"] };
  stock: { entry: true; input: { sku: string }; output: { reserved: number } };
}>();
const client = createClient({ stateAdapter, jobTypes });

it("a handler reads the signals of its type, and narrows them by their name", () => {
  createProcessors({
    client,
    jobTypes,
    processors: {
      file: async ({ job, continueWith }) => {
        expectTypeOf(job).not.toHaveProperty("received");
        return continueWith({ typeName: "approve", input: job.input, waitUntil: { afterMs: 1_000 } });
      },
      approve: async ({ job, continueWith, complete }) => {
        expectTypeOf(job.typeName).toEqualTypeOf<"approve">();
        expectTypeOf(job.input).toEqualTypeOf<{ cents: number }>();
        expectTypeOf(job.blockers).toEqualTypeOf<readonly []>();
        expectTypeOf(job.attempt).toEqualTypeOf<number>();
        expectTypeOf(job.received).toEqualTypeOf<Readonly<Approved> | Readonly<Rejected> | undefined>();
        expectTypeOf(job.receivedAll).toEqualTypeOf<readonly Received<Signals>[]>();
        switch (job.received?.signal) {
          case "approved":
            expectTypeOf(job.received).toExtend<Received<Signals, "approved">>();
            expectTypeOf(job.received.payload).toEqualTypeOf<{ by: string }>();
            expectTypeOf(job.received.at).toEqualTypeOf<Date>();
            expectTypeOf(job.received.signalId).toEqualTypeOf<string | undefined>();
            return continueWith({
              typeName: "pay",
              input: job.received.payload,
              blockers: [{ typeName: "stock", input: { sku: "s" } }],
            });
          case "rejected":
            return complete(async () => ({ paid: false }));
          default:
            expectTypeOf(job.received).toEqualTypeOf<undefined>();
            return continueWith({
              typeName: "approve",
              input: job.input,
              waitUntil: "forever",
              collect: { approved: 2 },
              topics: ["expenses"],
            });
        }
      },
      pay: async ({ job }) => {
        expectTypeOf(job).not.toHaveProperty("received");
        expectTypeOf(job.blockers[0].output).toEqualTypeOf<{ reserved: number }>();
        return { paid: true };
      },
      stock: async () => ({ reserved: 1 }),
    },
  });
});

it("a function may take the job of a step with signals, or a signal", () => {
  const approvers = ({ receivedAll, input }: SignalledJob<"approve", { cents: number }, Signals>) =>
    receivedAll.flatMap((one) => (one.signal === "approved" ? [{ ...one.payload, ...input }] : []));
  const reason = ({ payload }: Received<Signals, "rejected">) => payload.reason;
  const log = ({ job }: HandlerContext<SignalledJob<string, unknown, Signals>, unknown, never, unknown>) => job.attempt;
  const approve: HandlerOf<typeof client, typeof jobTypes, "approve"> = async (context) => {
    log(context);
    expectTypeOf(approvers(context.job)).toEqualTypeOf<{ cents: number; by: string }[]>();
    // @ts-expect-error -- it may be approved
    if (context.job.received !== undefined) reason(context.job.received);
    return { paid: false };
  };
  expectTypeOf(approve).returns.resolves.toExtend<unknown>();
});

it("a handler written elsewhere reads the signals as well", () => {
  const approve: HandlerOf<typeof client, typeof jobTypes, "approve"> = async ({ job }) => {
    expectTypeOf(job.received).toEqualTypeOf<Readonly<Approved> | Readonly<Rejected> | undefined>();
    return { paid: false };
  };
  expectTypeOf(approve).parameter(0).toEqualTypeOf<ContextOf<typeof client, typeof jobTypes, "approve">>();
});

it("with schemas a sender writes what the schema takes, and the handler reads what it makes of that", () => {
  const schemas = defineJobTypes({
    wait: {
      entry: true,
      input: schema<string, Date>(),
      signals: { go: schema<string, number>(), stop: schema<null>() },
      output: schema<null>(),
    },
  });
  const sender = createClient({ stateAdapter, jobTypes: schemas });
  void sender.signalChain({ id: "c", typeName: "wait", signal: "go", payload: "1" });
  // @ts-expect-error -- what the handler reads
  void sender.signalChain({ id: "c", typeName: "wait", signal: "go", payload: 1 });
  createProcessors({
    client: sender,
    jobTypes: schemas,
    processors: {
      wait: async ({ job }) => {
        expectTypeOf(job.input).toEqualTypeOf<Date>();
        expectTypeOf(job.received).toEqualTypeOf<Received<{ go: number; stop: null }> | undefined>();
        return null;
      },
    },
  });
});

it("a type with signals may declare what undoes it, beside types without either", () => {
  const ends = defineJobTypes<{
    ask: { entry: true; input: null; signals: { yes: null }; output: null; compensate: "undo" };
    book: { entry: true; input: null; output: null; compensate: "undo"; blockers: ["undo"] };
    undo: { entry: true; input: { id: string }; output: null };
  }>();
  createProcessors({
    client: createClient({ stateAdapter, jobTypes: ends }),
    jobTypes: ends,
    processors: {
      ask: async ({ job, compensateWith }) => {
        expectTypeOf(job.received).toEqualTypeOf<Received<{ yes: null }> | undefined>();
        await compensateWith({ typeName: "undo", input: { id: job.id } });
        return null;
      },
      book: async ({ job, compensateWith }) => {
        expectTypeOf(job.blockers[0].typeName).toEqualTypeOf<"undo">();
        expectTypeOf(job).not.toHaveProperty("received");
        await compensateWith({ typeName: "undo", input: { id: job.id } });
        return null;
      },
      undo: async (context) => {
        expectTypeOf(context).not.toHaveProperty("compensateWith");
        expectTypeOf(context.job).not.toHaveProperty("received");
        return null;
      },
    },
  });
});

it("every client is a client of any job types, which lists the signals of a chain", async () => {
  const jobTypesAlone = defineJobTypes<{ a: { entry: true; input: null; output: null } }>();
  const without = createClient({ stateAdapter, jobTypes: jobTypesAlone });
  const clients: AnyClient[] = [client, without];
  for (const any of clients) {
    const { items } = await any.listSignals({ id: "c", limit: 5 });
    expectTypeOf(items).toEqualTypeOf<readonly StoredSignalInfo[]>();
  }
});
