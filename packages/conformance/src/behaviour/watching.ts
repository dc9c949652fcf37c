import type { JobUpdate } from "chainwright";
import { equal, match, only, rejectsWith } from "../check.ts";
import { newId } from "../state/build.ts";
import { eventually, inTime } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";
import { abortOf, createGate } from "./gate.ts";
import { behaviours } from "./group.ts";

/** An update as a case compares it. */
function shortOf(update: JobUpdate): readonly unknown[] {
  switch (update.kind) {
    case "status":
      return ["status", update.status, update.attempt];
    case "progress":
      return ["progress", update.progress];
    case "checkpoint":
      return ["checkpoint", update.checkpoint];
    case "log":
      return ["log", update.level, update.message, update.data];
  }
}

/** What a client sees of a job while it runs, from any process. */
export const watchingCases = behaviours("watching a job", {
  "a watch in another process tells what the handler reports, and ends with the job": async (fixture) => {
    const { client } = await fixture.process();
    const [first, second] = [createGate(), createGate()];
    await fixture.work({
      work: async ({ progress, log, saveCheckpoint }) => {
        await first.passed;
        progress(10);
        log.info("begun", { at: 0 });
        await saveCheckpoint({ offset: 5 });
        await second.passed;
        progress(100);
        log.warn("nearly done");
        return "done";
      },
    });
    const chain = await fixture.client.startChain({ typeName: "work", input: 1 });
    const told: (readonly unknown[])[] = [];
    const watched = (async () => {
      for await (const update of client.watchJob({ id: firstJobIdOf(chain) })) told.push(shortOf(update));
    })();
    const has = (...update: readonly unknown[]): boolean =>
      told.some((each) => JSON.stringify(each) === JSON.stringify(update));
    await eventually("it runs", () => has("status", "running", 1));
    first.open();
    await eventually("reported", () => has("progress", 10) && has("checkpoint", { offset: 5 }));
    equal("the line", has("log", "info", "begun", { at: 0 }), true);
    second.open();
    await inTime("it ends with the job", watched);
    equal("the last update", told.at(-1), ["status", "completed", 1]);
    equal("all lines", told.filter(([kind]) => kind === "log").length, 2);
    equal(
      "the last progress",
      told.findLast(([kind]) => kind === "progress"),
      ["progress", 100],
    );
  },

  "a watch of a job that has ended tells what is on record, and ends": async (fixture) => {
    const { client } = fixture;
    await fixture.work({
      work: async ({ log }) => {
        for (let line = 1; line <= 700; line += 1) log.debug(`line ${line}`);
        return 1;
      },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await inTime("it ends", client.awaitChain(chain));
    const updates: JobUpdate[] = [];
    for await (const update of client.watchJob({ id: firstJobIdOf(chain) })) updates.push(update);
    equal("lines and the status", updates.length, 701);
    match("the end", updates.at(-1), { kind: "status", status: "completed" });
  },

  "a watch ends with the reason of its signal, with its client, and with an error if there is no such job": async (
    fixture,
  ) => {
    const { client } = await fixture.process();
    const begun = createGate();
    await fixture.work({
      work: async ({ signal }) => {
        begun.open();
        await abortOf(signal);
      },
    });
    const chain = await fixture.client.startChain({ typeName: "work", input: 1 });
    await inTime("it begins", begun.passed);
    const through = async (signal?: AbortSignal): Promise<void> => {
      for await (const update of client.watchJob({ id: firstJobIdOf(chain), signal })) void update;
    };
    const controller = new AbortController();
    const [aborted, closed] = [through(controller.signal), through()];
    controller.abort(Object.assign(new Error("left"), { name: "ChainwrightError", code: "timeout" }));
    await rejectsWith("timeout", inTime("aborted", aborted), "timeout");
    const missing = client.watchJob({ id: newId() })[Symbol.asyncIterator]().next();
    await rejectsWith("job-not-found", inTime("missing", missing), "job-not-found");
    const refused = rejectsWith("closed", inTime("closed", closed), "closed");
    await client.close();
    await refused;
  },

  "notes are listed for several jobs, with a page of lines each": async (fixture) => {
    const { client } = fixture;
    await fixture.work({
      work: async ({ job, log, progress, once, complete }) => {
        await once("b", async () => 2);
        await once("a", async () => {});
        progress(job.input);
        for (const line of ["one", "two", "three"]) log.info(line);
        return complete(async () => "done");
      },
    });
    const chains = [1, 2].map((input) => client.startChain({ typeName: "work", input }));
    const started = await Promise.all(chains);
    const ids = started.map(firstJobIdOf);
    for (const chain of started) await inTime("it ends", client.awaitChain(chain));
    const items = [...ids.map((id) => ({ id })), { id: newId() }];
    const [first, second, third] = await client.listNotes({ items, limit: 2, memos: true });
    equal("progress", [first?.progress?.value, second?.progress?.value, third], [1, 2, undefined]);
    equal(
      "memos",
      first?.memos.map(({ name, value }) => [name, value]),
      [
        ["a", undefined],
        ["b", 2],
      ],
    );
    equal(
      "a page",
      second?.lines.map(({ message }) => message),
      ["one", "two"],
    );
    const next = [{ id: ids[1] ?? newId(), cursor: second?.nextCursor }];
    const rest = only("one job", await client.listNotes({ items: next }));
    equal("the next page", [rest?.lines.map(({ message }) => message), rest?.nextCursor], [["three"], undefined]);
    const newest = await client.listNotes({ items: next.map(({ id }) => ({ id })), limit: 1, order: "newest" });
    equal(
      "newest first",
      newest[0]?.lines.map(({ message }) => message),
      ["three"],
    );
    await rejectsWith("invalid-input", client.listNotes({ items: [{ id: "x" }] }), "invalid-input");
    await rejectsWith("invalid-input", client.listNotes({ items: [], limit: 1_001 }), "invalid-input");
  },
});
