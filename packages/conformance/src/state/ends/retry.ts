import { equal, match } from "../../check.ts";
import { completed, failed, job, newId } from "../build.ts";
import { accepted, refused, type StateFixture } from "../fixture.ts";
import { rules } from "../group.ts";
import { cancelOne, followUpsOf, handIn, record, statusesOf, step, trip, undo, undone } from "./sagas.ts";

function retry(fixture: StateFixture, chainId: string) {
  return fixture.store.retry([{ chainId, input: undefined, typeName: undefined }], fixture.options());
}

async function stopped(fixture: StateFixture): Promise<string> {
  const { id } = await fixture.startOne(trip());
  await step(fixture, "one", "last");
  await fixture.settled(failed((await fixture.claimOne("last")).fence));
  return id;
}

export const endRetryCases = rules("ends", {
  "N4: a retry cancels the follow-ups that have not begun, and the chain that then completes is not undone": async (
    fixture,
  ) => {
    const id = await stopped(fixture);
    const before = await followUpsOf(fixture, id);
    const [reply] = accepted("retried", await retry(fixture, id));
    equal(
      "the reply names them",
      reply?.withdrawn?.map(({ chainId }) => chainId),
      before.map(({ chainId }) => chainId),
    );
    for (const { chainId } of before) match("withdrawn", await fixture.chain(chainId), { status: "cancelled" });
    equal("the chain has none", await followUpsOf(fixture, id), []);
    await fixture.settled(completed((await fixture.claimOne("last")).fence));
    equal("nothing runs", await undone(fixture), []);
  },

  "N4: what undoes a chain stays on record over a retry": async (fixture) => {
    const id = await stopped(fixture);
    accepted("retried", await retry(fixture, id));
    await cancelOne(fixture, id);
    equal("undone once", await undone(fixture), ["one", "apologise"]);
  },

  "N4: a chain cannot be retried once a follow-up has been claimed, and the refusal names it": async (fixture) => {
    const id = await stopped(fixture);
    await fixture.claimOne("undo");
    const [first] = await followUpsOf(fixture, id);
    equal("refusal", refused("refused", await retry(fixture, id)), {
      code: "chain-not-retryable",
      id,
      actual: "failed",
      references: [first?.chainId ?? ""],
    });
    equal("nothing has changed", await statusesOf(fixture, id), ["running", "blocked"]);
  },

  "N4: a chain whose follow-up was deleted cannot be retried": async (fixture) => {
    const id = await stopped(fixture);
    equal("undone", await undone(fixture), ["one", "apologise"]);
    const chainIds = (await followUpsOf(fixture, id)).map(({ chainId }) => chainId);
    accepted("deleted", await fixture.store.remove({ chainIds, cascade: false }, fixture.options()));
    equal("the chain shows none", await followUpsOf(fixture, id), []);
    match("refusal", refused("refused", await retry(fixture, id)), {
      code: "chain-not-retryable",
      references: chainIds,
    });
  },

  "N4: a withdrawn follow-up does not run the `whenStopped` that it has itself": async (fixture) => {
    const { id } = await fixture.startOne(job("one"));
    const compensation = undo("one", { whenStopped: { typeName: "alert", priority: 0 } });
    const { fence } = await fixture.claimOne("one");
    await fixture.settled({ target: fence, kind: "continued", next: job("last"), compensation });
    await fixture.settled(failed((await fixture.claimOne("last")).fence));
    accepted("retried", await retry(fixture, id));
    equal("nothing runs", await fixture.claim(["alert", "undo"]), []);
  },

  "N4: a chain that waits for a retried one is blocked again only if its own follow-ups have not begun": async (
    fixture,
  ) => {
    const broken = await fixture.startOne(job("child"));
    const [first, second] = await fixture.start([
      trip("a", { blockers: [{ chainId: broken.id, typeName: undefined }] }),
      trip("b", { blockers: [{ chainId: broken.id, typeName: undefined }] }),
    ]);
    await fixture.settled(failed((await fixture.claimOne("child")).fence));
    const [begun] = await followUpsOf(fixture, second?.id ?? "");
    const claimed = await fixture.claim(["apologise"]);
    const other = claimed.find(({ chainId }) => chainId !== begun?.chainId);
    if (other === undefined) throw new Error("both have a follow-up");
    accepted("retried", await retry(fixture, broken.id));
    match("both have begun", await fixture.chain(first?.id ?? ""), { status: "failed" });
    match("both have begun", await fixture.chain(second?.id ?? ""), { status: "failed" });
  },

  "N4: a chain that failed with its blocker is blocked again with it, and its follow-ups are cancelled": async (
    fixture,
  ) => {
    const broken = await fixture.startOne(job("child"));
    const waiting = await fixture.startOne(trip("a", { blockers: [{ chainId: broken.id, typeName: undefined }] }));
    await fixture.settled(failed((await fixture.claimOne("child")).fence));
    const [followUp] = await followUpsOf(fixture, waiting.id);
    const [reply] = accepted("retried", await retry(fixture, broken.id));
    equal(
      "the reply names it",
      reply?.withdrawn?.map(({ chainId }) => chainId),
      [followUp?.chainId ?? ""],
    );
    match("it is blocked again", await fixture.job(waiting.id), { status: "blocked" });
    await fixture.settled(completed((await fixture.claimOne("child")).fence));
    await fixture.settled(completed((await fixture.claimOne("a")).fence));
    equal("nothing runs", await undone(fixture), []);
  },

  "N3: an attempt that hands in after a retry starts nothing": async (fixture) => {
    const { id } = await fixture.startOne(trip());
    const held = await fixture.claimOne("one", { leaseMs: 1_000 });
    await cancelOne(fixture, id);
    accepted("retried", await retry(fixture, id));
    equal("nothing is ready", await handIn(fixture, held), undefined);
    const again = await fixture.claimOne("one");
    await fixture.settled(completed(again.fence));
    fixture.advance(1_000);
    equal("nothing runs", await undone(fixture), []);
  },

  "a stopped chain cannot be deleted while a follow-up is open, and cascade deletes them": async (fixture) => {
    const id = await stopped(fixture);
    const chainIds = (await followUpsOf(fixture, id)).map(({ chainId }) => chainId);
    const reply = await fixture.store.remove({ chainIds: [id], cascade: false }, fixture.options());
    equal("refusal", refused("refused", reply), { code: "chain-referenced", id, references: chainIds });
    const removed = await fixture.store.remove({ chainIds: [id], cascade: true }, fixture.options());
    equal("all are deleted", accepted("deleted", removed).length, 3);
    equal("they are gone", await fixture.store.getChains([id, ...chainIds], fixture.options()), [
      undefined,
      undefined,
      undefined,
    ]);
  },

  "a stopped chain is deleted once its follow-ups have ended": async (fixture) => {
    const id = await stopped(fixture);
    await undone(fixture);
    accepted("deleted", await fixture.store.remove({ chainIds: [id], cascade: false }, fixture.options()));
  },

  "retention leaves a stopped chain while a follow-up is open": async (fixture) => {
    const id = await stopped(fixture);
    fixture.advance(1_000);
    const pass = { chore: "retention", completedMs: 0, failedMs: 0, limit: 100 } as const;
    await fixture.store.maintain(pass, fixture.options());
    match("it stays", await fixture.chain(id), { status: "failed" });
    await undone(fixture);
    fixture.advance(86_400_000);
    for (let pass2 = 0; pass2 < 5; pass2 += 1) await fixture.store.maintain(pass, fixture.options());
    equal("it is gone", await fixture.store.getChains([id], fixture.options()), [undefined]);
  },

  "N1: an id that is not a job's records nothing": async (fixture) => {
    const missing = { fence: { jobId: newId(), workerId: "w", fence: 1 } };
    equal("the reply", await record(fixture, missing, undo("x")), "cancelled");
  },
});
