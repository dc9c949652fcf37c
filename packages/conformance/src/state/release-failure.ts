import { blockerFailureErrors } from "chainwright/adapter";
import { equal, holds, match, sameMembers } from "../check.ts";
import { blockedBy, completed, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { counts, statuses } from "./listing.ts";
import { carryOn, many, releasedBy, step, waitingFor } from "./releasing.ts";
import { accepted } from "./fixture.ts";
import type { StateFixture } from "./fixture.ts";

/** A chain that many jobs wait for, and that has just failed: some of them failed with it, the others will fail later. */
async function arrange(fixture: StateFixture, starts = (gate: string) => waitingFor(gate, many)) {
  const gate = await fixture.startOne(job("x"));
  const waiting = await fixture.start(starts(gate.id));
  const ended = await fixture.settled(failed({ chainId: gate.id, typeName: "x" }));
  return { gate, ids: waiting.map(({ id }) => id), ended };
}

function retry(fixture: StateFixture, chainId: string) {
  return fixture.store.retry([{ chainId, input: undefined, typeName: undefined }], fixture.options());
}

export const releaseFailureCases = rules("release of a failure", {
  "the failure of a chain that many jobs wait for fails some of them, and later exchanges the others, each once":
    async (fixture) => {
      const { gate, ids, ended } = await arrange(fixture);
      match("more is to come", ended, { releasing: true });
      holds("some at once", ended.failed.length > 0 && ended.failed.length < many, ended.failed.length);
      const carried = await carryOn(fixture, [ended]);
      sameMembers("each once", carried.failed, ids);
      equal("all failed", await counts(fixture), { "x failed": 1, "a failed": many });
      const errors = blockerFailureErrors({ chainId: gate.id, typeName: "x", status: "failed", at: fixture.now() });
      equal("with the reason", (await fixture.chain(carried.failed.at(-1) ?? "")).errors, errors);
    },

  "the end of a cancelled chain fails some of its dependents, and later exchanges the others": async (fixture) => {
    const gate = await fixture.startOne(job("x"));
    const waiting = await fixture.start(waitingFor(gate.id, many));
    const items = [{ chainId: gate.id, reason: undefined }];
    const ends = accepted("accepted", await fixture.store.cancel(items, fixture.options()));
    match("more is to come", ends[0], { releasing: true });
    sameMembers(
      "each once",
      (await carryOn(fixture, ends)).failed,
      waiting.map(({ id }) => id),
    );
  },

  "a cascade is bounded over all its levels, and finishes": async (fixture) => {
    const gate = await fixture.startOne(job("x"));
    const near = await fixture.start(waitingFor(gate.id, 20));
    const far = await fixture.start(near.flatMap(({ id }) => waitingFor(id, 60)));
    const ended = await fixture.settled(failed({ chainId: gate.id, typeName: "x" }));
    match("more is to come", ended, { releasing: true });
    const carried = await carryOn(fixture, [ended]);
    const ids = [...near, ...far].map(({ id }) => id);
    sameMembers("each once", carried.failed, ids);
    equal("all failed", (await counts(fixture))["a failed"], ids.length);
  },

  "a cascade of many levels is bounded, and finishes": async (fixture) => {
    const gate = await fixture.startOne(job("x"));
    const starts = [...waitingFor(gate.id, 1)];
    while (starts.length < many) starts.push(...waitingFor(starts.at(-1)?.id ?? "", 1));
    await fixture.start(starts);
    const ended = await fixture.settled(failed({ chainId: gate.id, typeName: "x" }));
    match("more is to come", ended, { releasing: true });
    sameMembers(
      "each once",
      (await carryOn(fixture, [ended])).failed,
      starts.map(({ id }) => id),
    );
  },

  "jobs that wait for a retry stay blocked, and the release still finishes": async (fixture) => {
    const { gate, ids, ended } = await arrange(fixture, (gateId) =>
      waitingFor(gateId, many).map((start, index) =>
        index % 2 === 0 ? start : { ...start, onBlockerFailure: "wait" as const },
      ),
    );
    const patient = ids.filter((_, index) => index % 2 === 1);
    sameMembers(
      "the others fail",
      (await carryOn(fixture, [ended])).failed,
      ids.filter((_, index) => index % 2 === 0),
    );
    accepted("retried", await retry(fixture, gate.id));
    const end = await fixture.settled(completed({ chainId: gate.id, typeName: "x" }));
    sameMembers("all, after its retry", (await carryOn(fixture, [end])).unblocked, ids);
    equal("those that waited, too", await statuses(fixture, patient.slice(0, 2)), ["active", "active"]);
  },

  "a retry of the chain ends the release of its failure: those that had failed are blocked again": async (fixture) => {
    const { gate, ids, ended } = await arrange(fixture);
    const [reply] = accepted("retried", await retry(fixture, gate.id));
    sameMembers(
      "those that had failed",
      reply?.reblocked.map(({ jobId }) => jobId) ?? [],
      ended.failed.map(({ jobId }) => jobId),
    );
    equal("nothing follows", await carryOn(fixture), { unblocked: [], failed: [] });
    equal("all wait again", (await counts(fixture))["a blocked"], many);
    const end = await fixture.settled(completed({ chainId: gate.id, typeName: "x" }));
    sameMembers("each once", (await carryOn(fixture, [end])).unblocked, ids);
    equal("all ready", (await counts(fixture))["a ready"], many);
  },

  "a chain that was retried and completes at once counts for each job once, also if the job waits for another chain":
    async (fixture) => {
      const other = await fixture.startOne(job("y"));
      const { gate, ids } = await arrange(fixture, (gateId) =>
        waitingFor(gateId, many, { blockers: [blockedBy(gateId), blockedBy(other.id)] }),
      );
      accepted("retried", await retry(fixture, gate.id));
      const end = await fixture.settled(completed({ chainId: gate.id, typeName: "x" }));
      equal("none is ready", await carryOn(fixture, [end]), { unblocked: [], failed: [] });
      const last = await fixture.settled(completed({ chainId: other.id, typeName: "y" }));
      sameMembers("all, after the other chain", (await carryOn(fixture, [last])).unblocked, ids);
    },

  "a retry after some steps of the release ends it as well": async (fixture) => {
    const { gate, ended } = await arrange(fixture);
    const { released } = await step(fixture);
    const [reply] = accepted("retried", await retry(fixture, gate.id));
    equal("those that had failed", reply?.reblocked.length, ended.failed.length + released.failed.length);
    equal("nothing follows", await carryOn(fixture), { unblocked: [], failed: [] });
    equal("all wait again", (await counts(fixture))["a blocked"], many);
  },

  "a retry ends the release further down as well": async (fixture) => {
    const root = await fixture.startOne(job("x"));
    const gate = await fixture.startOne(job("y", { blockers: [blockedBy(root.id)] }));
    await fixture.start(waitingFor(gate.id, many));
    await fixture.settled(failed({ chainId: root.id, typeName: "x" }));
    accepted("retried", await retry(fixture, root.id));
    equal("nothing follows", await carryOn(fixture), { unblocked: [], failed: [] });
    equal("all wait again", await counts(fixture), { "x ready": 1, "y blocked": 1, "a blocked": many });
  },

  "a job that starts after the failure fails at once, and no other job with it": async (fixture) => {
    const { gate } = await arrange(fixture);
    const before = (await counts(fixture))["a blocked"];
    match("at once", await fixture.startOne(job("b", { blockers: [blockedBy(gate.id)] })), { status: "failed" });
    equal("no other one", (await counts(fixture))["a blocked"], before);
  },

  "a retry in the middle of steps made by another process ends the release": async (fixture) => {
    const other = await fixture.connect();
    const { gate, ids } = await arrange(fixture);
    const [, , reply] = await Promise.all([
      other.insist(() => step(other)),
      fixture.insist(() => step(fixture)),
      fixture.insist(() => retry(fixture, gate.id)),
    ]);
    accepted("retried", reply);
    equal("nothing follows", await carryOn(fixture), { unblocked: [], failed: [] });
    const end = await fixture.settled(completed({ chainId: gate.id, typeName: "x" }));
    sameMembers("each once", (await carryOn(fixture, [end])).unblocked, ids);
  },

  "a store with nothing to release reports nothing": async (fixture) => {
    const { released } = await fixture.look(["a"]);
    equal("nothing", releasedBy([released]), { unblocked: [], failed: [] });
    match("nothing", released, { releasing: false });
  },
});
