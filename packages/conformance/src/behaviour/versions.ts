import { defineVersions, stored } from "chainwright";
import { equal, holds, match, present, rejectsWith, only } from "../check.ts";
import { inTime } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";
import { behaviours } from "./group.ts";
import { thirdTypes, withReleases } from "./releases.ts";

export const versionsCases = behaviours("versions", {
  "a job that an earlier release started is handled in today's shape, whichever release it is from": (fixture) =>
    withReleases(fixture, async ({ first, second, third, workThird, read }) => {
      const chains = [
        await first.startChain({ typeName: "charge", input: { amount: 1 } }),
        await second.startChain({ typeName: "charge", input: { cents: 200 } }),
        await third.startChain({ typeName: "charge", input: { cents: 300, currency: "CHF" } }),
      ];
      for (const [index, { id }] of chains.entries())
        match("stored in its version", await third.getJob({ id: firstJobIdOf({ id }) }), { version: index + 1 });
      await workThird();
      for (const { id } of chains) await inTime("it ends", third.awaitChain({ id }));
      const order = read.map((input) => JSON.stringify(input)).toSorted((left, right) => (left < right ? -1 : 1));
      equal("one shape", order, [
        '{"release":3,"cents":100,"currency":"EUR"}',
        '{"release":3,"cents":200,"currency":"EUR"}',
        '{"release":3,"cents":300,"currency":"CHF"}',
      ]);
    }),

  "a worker takes no job of a version above its own, also one that a handler continued with": (fixture) =>
    withReleases(fixture, async ({ first, second, third, workFirst, workSecond, workThird, read }) => {
      await workFirst();
      await workSecond();
      const newest = await third.startChain({ typeName: "charge", input: { cents: 1, currency: "CHF" } });
      const middle = await second.startChain({ typeName: "charge", input: { cents: 2 } });
      const oldest = await first.startChain({ typeName: "charge", input: { amount: 3 } });
      await inTime("the middle one ends", second.awaitChain(middle));
      await inTime("the oldest one ends", second.awaitChain(oldest));
      const waiting = { status: "ready", attempt: 0, version: 3 } as const;
      match("the newest one waits", await third.getJob({ id: firstJobIdOf(newest) }), waiting);
      holds(
        "each was read by a release that knows it",
        read.every(
          (input) => JSON.stringify(input).includes(`"amount"`) || !JSON.stringify(input).includes(`"release":1`),
        ),
        read,
      );
      await workThird();
      await inTime("it ends", third.awaitChain(newest));
    }),

  "a continuation is stored in the version of the release that continued": (fixture) =>
    withReleases(fixture, async ({ first, second, third, workSecond, read }) => {
      const { id } = await first.startChain({ typeName: "order", input: { id: "o" } });
      await workSecond();
      await inTime("it ends", second.awaitChain({ id }));
      equal("read", read, [{ release: 2, cents: 700 }]);
      const jobs = (await third.listChainJobs({ id })).items;
      equal(
        "stored",
        jobs.map(({ version }) => version),
        [1, 2],
      );
      match("lifted", jobs[1], { input: { cents: 700, currency: "EUR" }, output: { score: 700 }, outputVersion: 2 });
    }),

  "a cancellation of a chain that this release cannot read reports what ended, and why there is no input": (fixture) =>
    withReleases(fixture, async ({ second, third }) => {
      const { id } = await third.startChain({ typeName: "charge", input: { cents: 1, currency: "CHF" } });
      const ended = await second.cancelChain({ id });
      match("what ended", ended, { id, typeName: "charge", cancelled: [id] });
      holds("it says why", ended.unreadable?.includes("versions up to 2") === true, ended);
      await rejectsWith(
        "its input",
        Promise.resolve().then(() => ended.input),
        "input-unreadable",
      );
      match("readable", (await third.cancelChain({ id }).catch(() => third.getChain({ id }))) ?? {}, {
        status: "cancelled",
      });
    }),

  "every read of a chain or of its job returns an output of an earlier release in today's shape": (fixture) =>
    withReleases(fixture, async ({ first, third, workFirst }) => {
      const worker = await workFirst();
      const { id } = await first.startChain({ typeName: "order", input: { id: "o" } });
      await inTime("it ends", first.awaitChain({ id }));
      await worker.stop();
      const output = { score: 7 };
      match("awaited", await inTime("it has ended", third.awaitChain({ id })), { output, outputVersion: 1 });
      match("read", await third.getChain({ id, typeName: "order" }), { output, input: { id: "o" } });
      match("listed", (await third.listChains()).items[0], { output });
      match("its job", (await third.listChainJobs({ id })).items[1], {
        output,
        input: { cents: 700, currency: "EUR" },
      });
      const { id: reportId } = await third.startChain({
        typeName: "report",
        input: null,
        blockers: [{ id, typeName: "order" }],
      });
      const job = { id: firstJobIdOf({ id: reportId }) };
      match("a blocker", (await third.listJobBlockers(job)).items[0], { output });
    }),

  "the handler of a job that waited sees the outputs of its blockers in today's shape": (fixture) =>
    withReleases(fixture, async ({ first, third, workFirst, workThird }) => {
      const worker = await workFirst();
      const order = await first.startChain({ typeName: "order", input: { id: "o" } });
      await inTime("it ends", first.awaitChain(order));
      await worker.stop();
      await workThird();
      const started = { typeName: "report", input: null, blockers: [order] } as const;
      const report = await third.startChain(started);
      equal("old", (await inTime("it ends", third.awaitChain(report))).output, '{"score":7}');
      const inline = [{ typeName: "order", input: { id: "p" } }] as const;
      const other = await third.startChain({ typeName: "report", input: null, blockers: inline });
      equal("new", (await inTime("it ends", third.awaitChain(other))).output, '{"score":7}');
    }),

  "after a roll back, what the newer release stored is refused to readers, waits for its workers, and hides nothing else":
    (fixture) =>
      withReleases(fixture, async ({ first, second, third, workSecond, workThird }) => {
        const newer = await third.startChain({
          typeName: "charge",
          input: { cents: 1, currency: "CHF" },
          deduplication: { key: "k" },
        });
        const older = await first.startChain({ typeName: "charge", input: { amount: 2 } });
        await workSecond();
        await inTime("the older one ends", second.awaitChain(older));
        const job = { id: firstJobIdOf(newer) };
        for (const client of [first, second]) {
          await rejectsWith("a chain", client.getChain({ id: newer.id }), "input-unreadable");
          await rejectsWith("a job", client.getJob(job), "input-unreadable");
        }
        const again = { typeName: "charge", input: { cents: 5 }, deduplication: { key: "k" } } as const;
        await rejectsWith("a deduplicated start", second.startChain(again), "input-unreadable");
        const listed = (await second.listChains({ typeName: "charge" })).items;
        const listedAs = (id: string) =>
          present(
            "it is listed",
            listed.find((chain) => chain.id === id),
          );
        match("the other", listedAs(older.id), { input: { cents: 200 } });
        const refused = listedAs(newer.id);
        holds("it says why", refused.unreadable?.includes("versions up to 2") === true, refused);
        match("the rest of it is told", refused, { status: "active", version: 3 });
        await rejectsWith(
          "its input",
          Promise.resolve().then(() => refused.input),
          "input-unreadable",
        );
        match("it waits", (await third.getJob(job)) ?? {}, { status: "ready", attempt: 0 });
        await workThird();
        match("it ends", await inTime("it ends", third.awaitChain(newer)), { output: { score: 1 } });
      }),

  "a release that writes an older version on purpose is served by the workers of that version": (fixture) =>
    withReleases(fixture, async ({ second, third, careful, workSecond, read }) => {
      await workSecond();
      const chain = await careful.startChain({ typeName: "charge", input: { cents: 5, currency: "EUR" } });
      equal("as it was given", chain.input, { cents: 5, currency: "EUR" });
      await inTime("it ends", second.awaitChain(chain));
      equal("read", read, [{ release: 2, cents: 5 }]);
      match("stored", await third.getJob({ id: firstJobIdOf(chain) }), {
        version: 2,
        input: { cents: 5, currency: "EUR" },
      });
    }),

  "a start with a deduplication key returns the input of the existing chain in today's shape": (fixture) =>
    withReleases(fixture, async ({ first, third }) => {
      const deduplication = { key: "k" };
      const { id } = await first.startChain({ typeName: "charge", input: { amount: 1 }, deduplication });
      const input = { cents: 5, currency: "CHF" };
      const again = await third.startChain({ typeName: "charge", input, deduplication });
      match("the existing one", again, { id, deduplicated: true, input: { cents: 100, currency: "EUR" } });
    }),

  "a retry with a new input stores it in the newest version, and one without keeps what is stored": (fixture) =>
    withReleases(fixture, async ({ first, second, third, workSecond, workThird, read }) => {
      const [kept, replaced] = await first.startChains({
        items: [
          { typeName: "charge", input: { amount: 1 } },
          { typeName: "charge", input: { amount: 2 } },
        ],
      });
      for (const { id } of [kept, replaced]) {
        await first.cancelChain({ id });
        await first.retryChain({ id });
        await third.cancelChain({ id });
      }
      await third.retryChain({ id: replaced.id, typeName: "charge", input: { cents: 9, currency: "CHF" } });
      await third.retryChain({ id: kept.id });
      match("kept", await third.getJob({ id: firstJobIdOf(kept) }), {
        version: 1,
        input: { cents: 100, currency: "EUR" },
      });
      match("replaced", await third.getJob({ id: firstJobIdOf(replaced) }), {
        version: 3,
        input: { cents: 9, currency: "CHF" },
      });
      await workSecond();
      await inTime("the kept one ends", second.awaitChain(kept));
      equal("only that one was read", read, [{ release: 2, cents: 100 }]);
      await workThird();
      await inTime("the other one ends", third.awaitChain(replaced));
    }),

  "an upcaster that throws uses up no attempt: the job waits a minute, and a deployment repairs it": (fixture) =>
    withReleases(fixture, async ({ first, third, thirdWith, workThird, read }) => {
      const { clock, eventLog } = fixture;
      const broken = thirdWith(
        defineVersions({
          jobTypes: thirdTypes,
          inputs: {
            charge: stored<{ amount: number }>()
              .then(({ amount }) => ({ cents: amount * 100 }))
              .then((): { cents: number; currency: string } => {
                throw new TypeError("no such field");
              }),
          },
        }),
      );
      const { id } = await first.startChain({ typeName: "charge", input: { amount: 1 } });
      const worker = await workThird(broken);
      const unreadable = (event: { readonly type: string }): boolean => event.type === "input-unreadable";
      for (let times = 1; times <= 3; times += 1) {
        await eventLog.untilMany("it was tried", times, unreadable);
        await eventLog.untilMany("it was put off", times, ({ type }) => type === "job-retried");
        match("no attempt is used up", await third.getJob({ id: firstJobIdOf({ id }) }), {
          status: "scheduled",
          attempt: 0,
        });
        if (times < 3) clock.leap(60_000);
      }
      match("the event", await eventLog.until("it was tried", unreadable), {
        payload: "input",
        ofTypeName: "charge",
        version: 1,
        reason: "upcaster",
      });
      await rejectsWith("a read", broken.getChain({ id }), "input-unreadable");
      // Only now: the worker would try once more, and put the job off again.
      await worker.stop({ timeoutMs: 0 });
      clock.leap(60_000);
      await workThird();
      await inTime("it ends", third.awaitChain({ id }));
      equal("one attempt", (await third.getJob({ id: firstJobIdOf({ id }) }))?.attempt, 1);
      equal("read", read, [{ release: 3, cents: 100, currency: "EUR" }]);
    }),

  "an output of a blocker that cannot be read puts the job off, and uses up no attempt": (fixture) =>
    withReleases(fixture, async ({ first, third, workFirst, workThird }) => {
      const { clock, eventLog } = fixture;
      const order = await third.startChain({ typeName: "order", input: { id: "o" } });
      const newer = await workThird();
      await inTime("it ends", third.awaitChain(order));
      await newer.stop();
      const { id } = await first.startChain({ typeName: "report", input: null, blockers: [order] });
      const older = await workFirst();
      await eventLog.until("it was tried", ({ type }) => type === "input-unreadable");
      await eventLog.until("it was put off", ({ type }) => type === "job-retried");
      const job = present("the job", await first.getJob({ id: firstJobIdOf({ id }) }));
      match("no attempt is used up", job, { status: "scheduled", attempt: 0 });
      equal("why", job.lastError?.name, "input-unreadable");
      await older.stop({ timeoutMs: 0 });
      clock.leap(60_000);
      await workThird();
      const ended = await inTime("it ends", third.awaitChain({ id }));
      equal("its output", ended.output, '{"score":7}');
      equal("one attempt", only("one job", (await third.listChainJobs({ id })).items).attempt, 1);
    }),
});
