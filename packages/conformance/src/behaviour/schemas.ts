import { createClient, createProcessors, createWorker, defineJobTypes } from "chainwright";
import { equal, holds, match, present, rejectsWith } from "../check.ts";
import { inTime } from "./event-log.ts";
import { behaviours } from "./group.ts";
import { leapUntil } from "./leaping-clock.ts";
import { firstJobIdOf } from "./first-job.ts";

/** A schema as any library makes it: checks what it is given, and may transform it. */
interface Schema<Written, Read> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Written; readonly output: Read } | undefined;
    readonly validate: (value: unknown) => Verdict<Read> | Promise<Verdict<Read>>;
  };
}

type Verdict<Read> =
  | { readonly value: Read; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly string[] }[] };

function schema<Written, Read = Written>(
  validate: Schema<Written, Read>["~standard"]["validate"],
): Schema<Written, Read> {
  return { "~standard": { version: 1, vendor: "conformance", validate } };
}

/** Not idempotent: what it makes of a text it would refuse. */
const length = schema<string, number>((value) =>
  typeof value === "string" ? { value: value.length } : { issues: [{ message: "is no text" }] },
);
const count = schema<number>((value) =>
  typeof value === "number" ? { value } : { issues: [{ message: "is no number" }] },
);
const nothing = schema<void>((value) =>
  value === undefined ? { value } : { issues: [{ message: "is not nothing" }] },
);
const slowly = schema<string, string>(async (value) => {
  await Promise.resolve();
  return typeof value === "string" ? { value: value.toUpperCase() } : { issues: [{ message: "is no text" }] };
});

const checkedTypes = defineJobTypes({
  "say.begin": { entry: true, input: length, continueWith: "say.end" },
  "say.end": { input: slowly, output: count },
  "say.nothing": { entry: true, input: count, output: nothing },
});

const oldTypes = defineJobTypes<{ pay: { entry: true; input: { cents?: number; euros?: number }; output: number } }>();
const euros = schema<{ euros: number }, number>((value) => {
  const found: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "euros") : undefined;
  if (found === -1) throw new TypeError("a schema with a fault");
  return typeof found === "number" ? { value: found } : { issues: [{ message: "is missing", path: ["euros"] }] };
});
const newTypes = defineJobTypes({ pay: { entry: true, input: euros, output: count } });

export const schemasCases = behaviours("a schema", {
  "checks an input where it is written, which is stored as it was written, and a handler reads what the schema makes of it":
    async (fixture) => {
      const { clock, state, eventLog } = fixture;
      const client = createClient({
        stateAdapter: state.adapter,
        jobTypes: checkedTypes,
        clock,
        observers: [eventLog.observer],
      });
      const processors = createProcessors({
        client,
        jobTypes: checkedTypes,
        processors: {
          "say.begin": async ({ job, continueWith }) =>
            continueWith({ typeName: "say.end", input: `${job.input} letters` }),
          "say.end": async ({ job }) => (job.input === "5 LETTERS" ? 1 : 0),
          "say.nothing": async () => {},
        },
      });
      const worker = createWorker({ client, processors: [processors], pollIntervalMs: 20 });
      await worker.start();
      try {
        const chain = await client.startChain({ typeName: "say.begin", input: "hello" });
        equal("as written", chain.input, "hello");
        const ended = await leapUntil(clock, 100, inTime("it ends", client.awaitChain(chain)));
        match("the chain has what was written", ended, { input: "hello", output: 1 });
        const silent = await client.startChain({ typeName: "say.nothing", input: 1 });
        const last = await leapUntil(clock, 100, inTime("it ends", client.awaitChain(silent)));
        equal("nothing is stored as null", last.output, null);
        for (const input of [5, undefined]) {
          const starting: unknown = Reflect.apply(client.startChain, client, [{ typeName: "say.begin", input }]);
          const code = input === undefined ? "payload-not-serializable" : "invalid-input";
          await rejectsWith("refused at the call", Promise.resolve(starting), code);
        }
        equal("nothing is written", (await client.listChains()).items.length, 2);
      } finally {
        await worker.stop({ timeoutMs: 0 });
        await client.close();
      }
    },

  "does not change what was written: the input of a chain or job that was read can be started again": async (
    fixture,
  ) => {
    const { clock, state } = fixture;
    const client = createClient({ stateAdapter: state.adapter, jobTypes: checkedTypes, clock });
    const { id } = await client.startChain({ typeName: "say.begin", input: "four" });
    const typeName = "say.begin";
    const { input } = present("the chain", await client.getChain({ id, typeName }));
    const [job] = (await client.listChainJobs({ id, typeName })).items;
    const [listed] = (await client.listChains({ typeName })).items;
    for (const again of [input, present("the job", job).input, present("listed", listed).input]) {
      equal("as it was written", (await client.startChain({ typeName, input: again })).input, "four");
    }
    await client.close();
  },

  "that a stored input does not fit keeps it from the handler, uses up no attempt, and is asked again a minute later":
    async (fixture) => {
      const { clock, state, eventLog } = fixture;
      const written = createClient({ stateAdapter: state.adapter, jobTypes: oldTypes, clock });
      const missing = await written.startChain({ typeName: "pay", input: { cents: 5 } });
      const throwing = await written.startChain({ typeName: "pay", input: { euros: -1 } });
      const fine = await written.startChain({ typeName: "pay", input: { euros: 7 } });

      const observers = [eventLog.observer];
      const client = createClient({ stateAdapter: state.adapter, jobTypes: newTypes, clock, observers });
      const read: number[] = [];
      const handler = async ({ job }: { readonly job: { readonly input: number } }) => (
        read.push(job.input),
        job.input
      );
      const processors = createProcessors({
        client,
        jobTypes: newTypes,
        processors: { pay: { retry: { maxAttempts: 1 }, handler } },
      });
      const worker = createWorker({ client, processors: [processors], pollIntervalMs: 20 });
      await worker.start();
      try {
        await inTime("what fits is handled", client.awaitChain(fine));
        for (let times = 1; times <= 3; times += 1) {
          for (const { id } of [missing, throwing]) {
            await eventLog.untilMany(
              "the job was tried",
              times,
              (event) => event.type === "job-retried" && event.jobId === id,
            );
            const job = present("it is kept", await client.getJob({ id: firstJobIdOf({ id }) }));
            match("it waits, and no attempt is used up", job, { status: "scheduled", attempt: 0 });
            equal("its error", job.lastError?.name, "input-unreadable");
          }
          clock.leap(60_000);
        }
        const told = (await client.getJob({ id: firstJobIdOf(missing) }))?.lastError?.message ?? "";
        holds(
          "the type, the path and the issue are told",
          told.includes('"pay" does not fit its schema: euros: is missing'),
          told,
        );
        equal("no handler was called for them", read, [7]);
      } finally {
        await worker.stop({ timeoutMs: 0 });
        await client.close();
        await written.close();
      }
    },
});
