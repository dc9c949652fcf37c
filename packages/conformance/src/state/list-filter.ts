import type { ChainQuery, JobQuery } from "chainwright/adapter";
import { equal, sameMembers } from "../check.ts";
import { blockedBy, completed, continued, deferred, errorsText, failed, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { arrange } from "./list-arrangement.ts";
import { byId, chains, idsOf, jobs } from "./listing.ts";

export const listFilterCases = rules("list", {
  "filters chains by status": async (fixture) => {
    const { ready, scheduled, running, blocked, done, broken, gone } = await arrange(fixture);
    const of = async (statuses: ChainQuery["statuses"]) => idsOf(await chains(fixture, { statuses }));
    equal("active", await of(["active"]), byId([ready.id, scheduled.id, running.id, blocked.id]));
    equal("completed", await of(["completed"]), [done.id]);
    equal("failed, cancelled", await of(["failed", "cancelled"]), byId([broken.id, gone.id]));
    equal("none", await of([]), []);
  },

  "filters jobs by status": async (fixture) => {
    const there = await arrange(fixture);
    const of = async (statuses: JobQuery["statuses"]) =>
      (await jobs(fixture, { statuses })).map(({ typeName }) => typeName);
    for (const status of ["ready", "scheduled", "running", "blocked", "completed", "failed", "cancelled"] as const) {
      equal(status, await of([status]), [status]);
    }
    sameMembers("two", await of(["ready", "cancelled"]), ["ready", "cancelled"]);
    equal("none", await of([]), []);
    equal("all", (await of(undefined)).length, there.ids.length);
  },

  "jobs whose lease has run out and scheduled jobs that are due are listed as ready": async (fixture) => {
    const lapsed = await fixture.startOne(job("a"));
    await fixture.claimOne("a", { leaseMs: 10 });
    const due = await fixture.startOne(job("b", { schedule: { afterMs: 10 } }));
    fixture.advance(10);
    equal("ready", idsOf(await jobs(fixture, { statuses: ["ready"] })), byId([lapsed.id, due.id]));
    equal("running", await jobs(fixture, { statuses: ["running"] }), []);
    equal("scheduled", await jobs(fixture, { statuses: ["scheduled"] }), []);
  },

  "filters chains by their entry type and jobs by their own type": async (fixture) => {
    const one = await fixture.startOne(job("a"));
    const next = job("b");
    await fixture.settled(continued({ chainId: one.id, typeName: "a" }, next));
    const two = await fixture.startOne(job("b"));
    equal("chains of a", idsOf(await chains(fixture, { typeNames: ["a"] })), [one.id]);
    equal("chains of b", idsOf(await chains(fixture, { typeNames: ["b"] })), [two.id]);
    equal("jobs of b", idsOf(await jobs(fixture, { typeNames: ["b"] })), byId([next.id, two.id]));
    equal("jobs of both", (await jobs(fixture, { typeNames: ["a", "b"] })).length, 3);
    equal("none", await chains(fixture, { typeNames: [] }), []);
    equal("unknown", await jobs(fixture, { typeNames: ["c"] }), []);
  },

  "filters by id": async (fixture) => {
    const { ready, done } = await arrange(fixture);
    const ids = [done.id, newId(), ready.id];
    equal("chains", idsOf(await chains(fixture, { ids })), byId([ready.id, done.id]));
    equal("jobs", idsOf(await jobs(fixture, { ids })), byId([ready.id, done.id]));
    equal("none", await chains(fixture, { ids: [] }), []);
  },

  "lists the newest job of each of some chains, however long they are": async (fixture) => {
    const [long, short, other] = await fixture.start([job("a"), job("a"), job("a")]);
    const chainIds = [long?.id ?? "", short?.id ?? ""];
    const last = job("c");
    await fixture.settled(continued({ chainId: long?.id ?? "", typeName: "a" }, job("b")));
    await fixture.settled(continued({ chainId: long?.id ?? "", typeName: "b" }, last));
    const newest = last.id;
    const of = async (details: Partial<JobQuery>) => idsOf(await jobs(fixture, { newestOf: chainIds, ...details }));
    equal("one of each", await of({}), byId([newest, short?.id ?? ""]));
    equal("of a status and type", await of({ statuses: ["ready"], typeNames: ["c"] }), [newest]);
    equal("a page of them", await of({ limit: 1, order: "descending" }), byId([newest, short?.id ?? ""]).slice(1));
    equal("a job that begins no chain", await of({ newestOf: [newest, newId()] }), []);
    equal("of none", await of({ newestOf: [] }), []);
    equal(
      "others are left out",
      (await of({})).filter((id) => id === other?.id),
      [],
    );
  },

  "filters by the time of creation, from inclusive, before exclusive": async (fixture) => {
    const first = await fixture.startOne(job("a"));
    const from = fixture.now();
    fixture.advance(1);
    const second = await fixture.startOne(job("a"));
    const until = fixture.now();
    fixture.advance(1);
    await fixture.startOne(job("a"));
    for (const list of [chains, jobs]) {
      equal("one", idsOf(await list(fixture, { createdFrom: from, createdBefore: until })), [first.id]);
      equal("two", idsOf(await list(fixture, { createdBefore: until + 1 })), byId([first.id, second.id]));
      equal("from", (await list(fixture, { createdFrom: until })).length, 2);
      equal("none", await list(fixture, { createdFrom: from, createdBefore: from }), []);
    }
  },

  "filters chains and jobs by error text, case-sensitive": async (fixture) => {
    const texts = ["50% of _all_ disks", "50x of -all- disks", "a\\\\b's (x|y) [z]* 日本 😀", "DISK", "disk"];
    const ids: string[] = [];
    for (const text of texts) {
      const { id } = await fixture.startOne(job("a"));
      await fixture.settled(failed({ chainId: id, typeName: "a" }, errorsText(text)));
      ids.push(id);
    }
    await fixture.startOne(job("a"));
    const found = async (errorText: string) => {
      const listed = idsOf(await chains(fixture, { errorText }));
      equal("jobs as chains", idsOf(await jobs(fixture, { errorText })), listed);
      return listed;
    };
    equal("a percent sign is one", await found("50%"), [ids[0]]);
    equal("an underscore is one", await found("_all_"), [ids[0]]);
    equal("case counts", await found("DISK"), [ids[3]]);
    equal("case counts", await found("disk"), byId([ids[0] ?? "", ids[1] ?? "", ids[4] ?? ""]));
    equal("no pattern", await found(".*"), []);
    equal("signs", await found("'s (x|y) [z]* 日本 😀"), [ids[2]]);
    equal("beginnings", await found("50"), byId([ids[0] ?? "", ids[1] ?? ""]));
    equal("none", await found("network"), []);
    equal("JSON's own signs are signs like any other", await found('"message":"disk"'), [ids[4]]);
  },

  "filters jobs by error text while they are still retried": async (fixture) => {
    const { id } = await fixture.startOne(job("a"));
    await fixture.settled(deferred((await fixture.claimOne("a")).fence, { errors: errorsText("first try") }));
    equal("the job", idsOf(await jobs(fixture, { errorText: "first try" })), [id]);
  },

  "returns the jobs that a chain blocks or has blocked, each once": async (fixture) => {
    const [one, two] = await fixture.start([job("x"), job("y")]);
    const ids = [one?.id ?? "", two?.id ?? ""] as const;
    const twice = await fixture.startOne(job("a", { blockers: [blockedBy(ids[0]), blockedBy(ids[0])] }));
    const both = await fixture.startOne(job("a", { blockers: [blockedBy(ids[1]), blockedBy(ids[0])] }));
    await fixture.startOne(job("a", { blockers: [blockedBy(ids[1])] }));
    const chain = await fixture.startOne(job("b"));
    const next = job("c", { blockers: [blockedBy(ids[0])] });
    await fixture.settled(continued({ chainId: chain.id, typeName: "b" }, next));
    const expected = byId([twice.id, both.id, next.id]);
    equal("blocked", idsOf(await jobs(fixture, { blockedBy: ids[0] })), expected);
    equal("a page", idsOf(await jobs(fixture, { blockedBy: ids[0], after: expected[0], limit: 1 })), [expected[1]]);
    await fixture.settled(completed({ chainId: ids[0], typeName: "x" }));
    equal("were blocked", idsOf(await jobs(fixture, { blockedBy: ids[0] })), expected);
    equal("still are", idsOf(await jobs(fixture, { blockedBy: ids[0], statuses: ["blocked"] })), [both.id]);
    equal("none", await jobs(fixture, { blockedBy: newId() }), []);
  },

  "returns only the rows that match all filters": async (fixture) => {
    const { broken } = await arrange(fixture);
    const second = await fixture.startOne(job("failed"));
    await fixture.settled(failed({ chainId: second.id, typeName: "failed" }, errorsText("other")));
    const found = await chains(fixture, {
      typeNames: ["failed", "completed"],
      statuses: ["failed"],
      errorText: "Disk",
      createdFrom: fixture.now(),
      createdBefore: fixture.now() + 1,
    });
    equal("one", idsOf(found), [broken.id]);
    equal("none", await chains(fixture, { statuses: ["completed"], errorText: "Disk" }), []);
  },
});
