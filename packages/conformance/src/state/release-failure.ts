import { blockerFailureErrors } from "chainwright/adapter";
import { equal, holds, match, sameMembers } from "../check.ts";
import { blockedBy, completed, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { counts, statuses } from "./listing.ts";
import { carryOn, many, step, toldBy, waitingFor } from "./releasing.ts";
import { accepted } from "./stage.ts";
import type { Stage } from "./stage.ts";

/** A chain that many jobs wait for, and that has just failed: some of them failed with it, the others have still to. */
async function arrange(stage: Stage, starts = (gate: string) => waitingFor(gate, many)) {
  const gate = await stage.startOne(job("x"));
  const waiting = await stage.start(starts(gate.id));
  const ended = await stage.settled(failed({ chainId: gate.id, typeName: "x" }));
  return { gate, ids: waiting.map(({ id }) => id), ended };
}

function retry(stage: Stage, chainId: string) {
  return stage.store.retry([{ chainId, input: undefined, typeName: undefined }], stage.options());
}

export const releaseFailureCases = rules("release of a failure", {
  "the failure of a chain that many jobs wait for fails some of them, and later exchanges the others, each once":
    async (stage) => {
      const { gate, ids, ended } = await arrange(stage);
      match("more is to come", ended, { releasing: true });
      holds("some at once", ended.failed.length > 0 && ended.failed.length < many, ended.failed.length);
      const told = await carryOn(stage, [ended]);
      sameMembers("each once", told.failed, ids);
      equal("all failed", await counts(stage), { "x failed": 1, "a failed": many });
      const errors = blockerFailureErrors({ chainId: gate.id, typeName: "x", status: "failed", at: stage.now() });
      equal("and say why", (await stage.chain(told.failed.at(-1) ?? "")).errors, errors);
    },

  "the end of a cancelled chain is bounded, too": async (stage) => {
    const gate = await stage.startOne(job("x"));
    const waiting = await stage.start(waitingFor(gate.id, many));
    const items = [{ chainId: gate.id, reason: undefined }];
    const ends = accepted("accepted", await stage.store.cancel(items, stage.options()));
    match("more is to come", ends[0], { releasing: true });
    sameMembers(
      "each once",
      (await carryOn(stage, ends)).failed,
      waiting.map(({ id }) => id),
    );
  },

  "a cascade is bounded over all its levels, and comes to its end": async (stage) => {
    const gate = await stage.startOne(job("x"));
    const near = await stage.start(waitingFor(gate.id, 20));
    const far = await stage.start(near.flatMap(({ id }) => waitingFor(id, 60)));
    const ended = await stage.settled(failed({ chainId: gate.id, typeName: "x" }));
    match("more is to come", ended, { releasing: true });
    const told = await carryOn(stage, [ended]);
    const ids = [...near, ...far].map(({ id }) => id);
    sameMembers("each once", told.failed, ids);
    equal("all failed", (await counts(stage))["a failed"], ids.length);
  },

  "a cascade of many levels is bounded, and comes to its end": async (stage) => {
    const gate = await stage.startOne(job("x"));
    const starts = [...waitingFor(gate.id, 1)];
    while (starts.length < many) starts.push(...waitingFor(starts.at(-1)?.id ?? "", 1));
    await stage.start(starts);
    const ended = await stage.settled(failed({ chainId: gate.id, typeName: "x" }));
    match("more is to come", ended, { releasing: true });
    sameMembers(
      "each once",
      (await carryOn(stage, [ended])).failed,
      starts.map(({ id }) => id),
    );
  },

  "jobs that choose to wait stay blocked, and end the release all the same": async (stage) => {
    const { gate, ids, ended } = await arrange(stage, (gateId) =>
      waitingFor(gateId, many).map((start, index) =>
        index % 2 === 0 ? start : { ...start, onBlockerFailure: "wait" as const },
      ),
    );
    const patient = ids.filter((_, index) => index % 2 === 1);
    sameMembers(
      "the others fail",
      (await carryOn(stage, [ended])).failed,
      ids.filter((_, index) => index % 2 === 0),
    );
    accepted("retried", await retry(stage, gate.id));
    const end = await stage.settled(completed({ chainId: gate.id, typeName: "x" }));
    sameMembers("all, after its retry", (await carryOn(stage, [end])).unblocked, ids);
    equal("those that waited, too", await statuses(stage, patient.slice(0, 2)), ["active", "active"]);
  },

  "a retry of the chain ends the release of its failure: those that had failed are blocked again": async (stage) => {
    const { gate, ids, ended } = await arrange(stage);
    const [reply] = accepted("retried", await retry(stage, gate.id));
    sameMembers(
      "those that had failed",
      reply?.reblocked.map(({ jobId }) => jobId) ?? [],
      ended.failed.map(({ jobId }) => jobId),
    );
    equal("nothing follows", await carryOn(stage), { unblocked: [], failed: [] });
    equal("all wait again", (await counts(stage))["a blocked"], many);
    const end = await stage.settled(completed({ chainId: gate.id, typeName: "x" }));
    sameMembers("each once", (await carryOn(stage, [end])).unblocked, ids);
    equal("all ready", (await counts(stage))["a ready"], many);
  },

  "a retry after some steps, too": async (stage) => {
    const { gate, ended } = await arrange(stage);
    const { released } = await step(stage);
    const [reply] = accepted("retried", await retry(stage, gate.id));
    equal("those that had failed", reply?.reblocked.length, ended.failed.length + released.failed.length);
    equal("nothing follows", await carryOn(stage), { unblocked: [], failed: [] });
    equal("all wait again", (await counts(stage))["a blocked"], many);
  },

  "a retry ends the release further down as well": async (stage) => {
    const root = await stage.startOne(job("x"));
    const gate = await stage.startOne(job("y", { blockers: [blockedBy(root.id)] }));
    await stage.start(waitingFor(gate.id, many));
    await stage.settled(failed({ chainId: root.id, typeName: "x" }));
    accepted("retried", await retry(stage, root.id));
    equal("nothing follows", await carryOn(stage), { unblocked: [], failed: [] });
    equal("all wait again", await counts(stage), { "x ready": 1, "y blocked": 1, "a blocked": many });
  },

  "a job that is started after the failure fails at once, and no other one with it": async (stage) => {
    const { gate } = await arrange(stage);
    const before = (await counts(stage))["a blocked"];
    match("at once", await stage.startOne(job("b", { blockers: [blockedBy(gate.id)] })), { status: "failed" });
    equal("no other one", (await counts(stage))["a blocked"], before);
  },

  "a retry in the middle of steps made by another process ends the release": async (stage) => {
    const other = await stage.connect();
    const { gate, ids } = await arrange(stage);
    const [, , reply] = await Promise.all([
      other.insist(() => step(other)),
      stage.insist(() => step(stage)),
      stage.insist(() => retry(stage, gate.id)),
    ]);
    accepted("retried", reply);
    equal("nothing follows", await carryOn(stage), { unblocked: [], failed: [] });
    const end = await stage.settled(completed({ chainId: gate.id, typeName: "x" }));
    sameMembers("each once", (await carryOn(stage, [end])).unblocked, ids);
  },

  "a store with nothing to release tells nothing": async (stage) => {
    const { released } = await stage.look(["a"]);
    equal("nothing", toldBy([released]), { unblocked: [], failed: [] });
    match("nothing", released, { releasing: false });
  },
});
