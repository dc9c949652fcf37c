import { equal, holds, only, rejectsWith, sameMembers } from "../check.ts";
import { many } from "../state/releasing.ts";
import { behaviours } from "./group.ts";
import type { Context } from "./handlers.ts";
import type { Process, AppFixture } from "./fixture.ts";
import { inTime } from "./event-log.ts";

/** A chain that many others wait for. */
async function arrange({ client }: AppFixture) {
  const gate = await client.startChain({ typeName: "next", input: 1 });
  const items = Array.from({ length: many }, () => ({ typeName: "gather", input: 1, blockers: [gate] }) as const);
  const waiting = await client.startChains({ items });
  return { gate, ids: waiting.map(({ id }) => id) };
}

/** Ends the chain in a process that closes at once, so that most of the waiting jobs are not released. */
async function endAndLeave(process: Process, end: () => Promise<void>): Promise<void> {
  await end();
  await process.client.close();
}

async function blocked({ client }: AppFixture): Promise<number> {
  return (await client.countJobs()).gather?.blocked ?? 0;
}

export const fanOutCases = behaviours("many jobs that wait for one chain", {
  "all fail with it, each reported once, without a worker": async (fixture) => {
    const { client, eventLog } = fixture;
    const { gate, ids } = await arrange(fixture);
    await inTime("it returns", client.cancelChain({ id: gate.id }));
    await eventLog.untilMany("all fail", many, ({ type }) => type === "chain-failed");
    const failed = eventLog.seen.flatMap((event) => (event.type === "chain-failed" ? [event.chainId] : []));
    sameMembers("each once", failed, ids);
    equal(
      "one says that it takes steps",
      eventLog.count(({ type }) => type === "chain-releasing"),
      1,
    );
    await rejectsWith("the last one", client.awaitChain({ typeName: "gather", id: ids.at(-1) ?? "" }), "chain-failed");
  },

  "all run once after it, on workers of other processes": async (fixture) => {
    const other = await fixture.process();
    const runs: string[] = [];
    const gather = ({ job }: Context) => runs.push(job.id);
    for (const one of [fixture, other]) await one.work({ gather }, { concurrency: 20 });
    const { gate, ids } = await arrange(fixture);
    await fixture.client.completeChain({ id: gate.id, typeName: "next", output: 2 });
    const { untilMany } = fixture.eventLog;
    await untilMany("all run", many, (event) => event.type === "job-completed" && event.workerId !== undefined);
    sameMembers("each once", runs, ids);
    const unblocked = fixture.eventLog.seen.flatMap((event) => (event.type === "job-unblocked" ? [event.jobId] : []));
    sameMembers("each is reported once", unblocked, ids);
  },

  "a worker of any types continues the release when the process that ended the chain is gone": async (fixture) => {
    const { gate, ids } = await arrange(fixture);
    const ender = await fixture.process();
    await endAndLeave(ender, async () => void (await ender.client.cancelChain({ id: gate.id })));
    holds("some are left", (await blocked(fixture)) > 0, await blocked(fixture));
    await fixture.work({ work: () => null });
    await fixture.eventLog.untilMany("all fail", many, ({ type }) => type === "chain-failed");
    equal("none is left", await blocked(fixture), 0);
    equal("as many as there were", ids.length, many);
  },

  "explainJob reports that a release is in progress": async (fixture) => {
    const { client } = fixture;
    const { gate, ids } = await arrange(fixture);
    const ender = await fixture.process();
    await endAndLeave(ender, () => ender.client.completeChain({ id: gate.id, typeName: "next", output: 2 }));
    const { items } = await client.listJobs({ typeName: "gather", status: "blocked", limit: 1 });
    const explained = await client.explainJob({ id: only("one of them", items).id });
    equal("its summary", explained?.summary, "Its blockers have completed, and its release is under way.");
    equal("by nothing", explained?.blockedBy, []);
    await fixture.work({ work: () => null });
    await fixture.eventLog.untilMany("all are released", many, ({ type }) => type === "job-unblocked");
    equal("none is left", await blocked(fixture), 0);
    equal("as many as there were", ids.length, many);
  },
});
