import { equal, match } from "../check.ts";
import { eventually, inTime } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";
import { createGate } from "./gate.ts";
import { behaviours } from "./group.ts";
import type { Context } from "./handlers.ts";
import { leapUntil } from "./leaping-clock.ts";
import { codeOf, ended, notesOf } from "./noted.ts";

/** Calls it as JavaScript may. */
async function callOnce(once: Context["once"], ...request: readonly unknown[]): Promise<unknown> {
  const called: unknown = Reflect.apply(once, undefined, request);
  return await called;
}

const expectedCodes = [
  "invalid-input, invalid-input, invalid-input, invalid-input, invalid-input",
  "payload-not-serializable, payload-too-large, payload-not-serializable, payload-not-serializable",
  "accepted, duplicate-memo, invalid-input, invalid-input",
  "attempt-ended, attempt-ended",
];

/** What handlers report, and what they do wrong. */
export const longHandlerReportCases = behaviours("reports of long handlers", {
  "explain the progress of a running job and the age of its checkpoint": async (fixture) => {
    const { client, clock } = fixture;
    const [noted, go] = [createGate(), createGate()];
    await fixture.work({
      work: async ({ progress, saveCheckpoint }) => {
        progress({ percent: 40 });
        await saveCheckpoint({ at: 4 });
        noted.open();
        await go.passed;
        return "done";
      },
    });
    const { id } = await client.startChain({ typeName: "work", input: 1 });
    await inTime("noted", noted.passed);
    clock.leap(2_000);
    const told = async () => (await client.explainJob({ id: firstJobIdOf({ id }) }))?.reason ?? "";
    const sentences =
      /Its progress was \{"percent":40\} \d\.\d s ago\. Its last checkpoint was saved [2-9]\.\d s ago\.$/u;
    await eventually("explained", async () => sentences.test(await told()));
    go.open();
    equal("it ends", await ended(fixture, id), "done");
    equal("no longer", await told(), "It has completed.");
  },

  "progress and lines are on record when the attempt has ended, however it ends (F5)": async (fixture) => {
    const { client } = fixture;
    await fixture.work({
      work: async ({ progress, log, job, complete }) => {
        for (let percent = 0; percent <= 100; percent += 1) progress({ percent });
        log.info("done", { input: job.input });
        log.error(`${String(job.input)} \u0000 \ud800`);
        if (job.input === "complete") {
          return complete(async () => {
            log.warn("at the end");
            return "completed";
          });
        }
        return job.input;
      },
      next: {
        retry: { maxAttempts: 1 },
        handler: ({ log, progress }) => {
          progress(null);
          log.debug("before it fails", { error: new Error("why"), big: 7n });
          throw new Error("broke");
        },
      },
    });
    for (const input of ["return", "complete"]) {
      const { id } = await client.startChain({ typeName: "work", input });
      await ended(fixture, id);
      const { progress, lines } = await notesOf(fixture, id);
      equal("progress", progress?.value, '{"percent":100}');
      const expected = ["done", `${input} \ufffd \ufffd`, ...(input === "complete" ? ["at the end"] : [])];
      equal(
        "lines",
        lines.map(({ message }) => message),
        expected,
      );
      match("a line", lines[0], { level: "info", data: JSON.stringify({ input }), attempt: 1 });
    }
    const { id } = await client.startChain({ typeName: "next", input: 1 });
    await inTime(
      "it fails",
      client.awaitChain({ id }).catch(() => undefined),
    );
    const { progress, lines } = await notesOf(fixture, id);
    equal("of the failed one", [progress?.value, lines.map(({ message }) => message)], ["null", ["before it fails"]]);
  },

  "progress and lines are written while the handler runs, and not one by one (F5, F7)": async (fixture) => {
    const { client, state } = fixture;
    const go = createGate();
    await fixture.work({
      work: async ({ progress, log }) => {
        for (let percent = 1; percent <= 50; percent += 1) progress(percent);
        log.info("half");
        await go.passed;
        return 1;
      },
    });
    const { id } = await client.startChain({ typeName: "work", input: 1 });
    await leapUntil(
      fixture.clock,
      100,
      eventually("written", async () => (await notesOf(fixture, id)).progress?.value === "50"),
    );
    equal("a line", (await notesOf(fixture, id)).lines.length, 1);
    equal("one call", state.calls.get("note"), 1);
    go.open();
    await ended(fixture, id);
  },

  "misuse is refused: names, values, twice, in complete, after the end": async (fixture) => {
    const { client } = fixture;
    const codes: unknown[] = [];
    const contexts: Context[] = [];
    const refusal = async (call: () => Promise<unknown>): Promise<void> => {
      await call().then(
        () => codes.push("accepted"),
        (error: unknown) => codes.push(codeOf(error)),
      );
    };
    await fixture.work({
      work: async (context) => {
        const { once, saveCheckpoint, complete } = context;
        contexts.push(context);
        await refusal(() => once("", async () => 1));
        await refusal(() => once("a\u0000", async () => 1));
        await refusal(() => once("x".repeat(256), async () => 1));
        await refusal(() => callOnce(once, "n", undefined));
        await refusal(() => callOnce(once, "n", { ty: true }, async () => 1));
        await refusal(() => once("date", async () => new Date()));
        await refusal(() => once("large", async () => "x".repeat(2_000_000)));
        await refusal(() => saveCheckpoint(new Map()));
        await refusal(() => saveCheckpoint(undefined));
        await refusal(() => once("twice", async () => 1));
        await refusal(() => once("twice", async () => 1));
        return complete(async () => {
          await refusal(() => once("in complete", async () => 1));
          await refusal(() => saveCheckpoint(1));
          return "done";
        });
      },
    });
    const { id } = await client.startChain({ typeName: "work", input: 1 });
    await ended(fixture, id);
    for (const { once, saveCheckpoint, progress, log } of contexts) {
      await refusal(() => once("late", async () => 1));
      await refusal(() => saveCheckpoint(1));
      progress(1);
      log.info("late");
    }
    equal("codes", codes.join(", "), expectedCodes.join(", "));
    equal("remembered", (await notesOf(fixture, id)).lines, []);
  },

  "while the store is away, once tries again until the lease has run out": async (fixture) => {
    const { client, clock } = fixture;
    const process = await fixture.process();
    const results: unknown[] = [];
    const begun = createGate();
    let isLost = false;
    await process.work({
      work: {
        leaseMs: 5_000,
        handler: async ({ once, job }) => {
          process.state.away(true);
          begun.open();
          const value = await once("value", async () => 7).catch(codeOf);
          results.push(value);
          isLost = job.attempt > 1;
          return value;
        },
      },
    });
    const { id } = await client.startChain({ typeName: "work", input: 1 });
    await inTime("it begins", begun.passed);
    equal("not yet", results, []);
    await leapUntil(
      clock,
      500,
      eventually("it gives up", () => results.length > 0),
    );
    equal("the lease is lost", [results[0], isLost], ["attempt-ended", false]);
    process.state.away(false);
    equal("nothing was written", (await notesOf(fixture, id)).memos, []);
  },

  "when the store is back within the lease, once succeeds": async (fixture) => {
    const { client, clock } = fixture;
    const process = await fixture.process();
    await process.work({
      work: async ({ once }) => {
        process.state.away(true);
        setTimeout(() => process.state.away(false), 50);
        return await once("value", async () => 7);
      },
    });
    const { id } = await client.startChain({ typeName: "work", input: 1 });
    const chain = await leapUntil(clock, 100, inTime("it ends", client.awaitChain({ id })));
    equal("output", chain.output, 7);
  },
});
